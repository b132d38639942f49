// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {ERC1271} from "solady/accounts/ERC1271.sol";

/// A wallet of one key with the nested signatures of ERC-7739, as Solady implements them.
contract Erc7739Wallet is ERC1271 {
    address private immutable owner;

    constructor(address firstOwner) {
        owner = firstOwner;
    }

    function _erc1271Signer() internal view override returns (address) {
        return owner;
    }

    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("Erc7739Wallet", "1");
    }
}
