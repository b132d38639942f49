// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Answers like the universal resolver of ENS, from names that tests have set.
contract UniversalResolver {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);
    error ResolverNotFound(bytes name);

    mapping(bytes32 => address) private addresses;
    mapping(bytes32 => string) private gateways;
    mapping(address => string) private primaryNames;

    function setAddress(bytes calldata name, address to) external {
        addresses[keccak256(name)] = to;
    }

    function setGateway(bytes calldata name, string calldata url) external {
        gateways[keccak256(name)] = url;
    }

    /// Nobody checks that the name leads back to the address.
    function setPrimaryName(address from, string calldata name) external {
        primaryNames[from] = name;
    }

    function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory, address) {
        require(bytes4(data) == 0x3b3b57de, "only addr(bytes32)");
        bytes32 key = keccak256(name);
        if (bytes(gateways[key]).length > 0) {
            string[] memory urls = new string[](1);
            urls[0] = gateways[key];
            revert OffchainLookup(address(this), urls, data, this.resolve.selector, "");
        }
        if (addresses[key] == address(0)) revert ResolverNotFound(name);
        require(bytes32(data[4:36]) == hashName(name, 0), "wrong node");
        return (abi.encode(addresses[key]), address(this));
    }

    function reverse(bytes calldata lookupAddress, uint256 coinType)
        external
        view
        returns (string memory, address, address)
    {
        require(coinType == 60, "only Ethereum");
        return (primaryNames[address(bytes20(lookupAddress))], address(this), address(this));
    }

    function hashName(bytes calldata name, uint256 offset) private pure returns (bytes32) {
        uint256 length = uint8(name[offset]);
        if (length == 0) return bytes32(0);
        uint256 next = offset + 1 + length;
        return keccak256(abi.encodePacked(hashName(name, next), keccak256(name[offset + 1:next])));
    }
}
