// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Wallets for the tests of EIP-1271, ERC-6492 and EIP-7702. README.md says how they are compiled.

bytes4 constant MAGIC_VALUE = 0x1626ba7e;

function recover(bytes32 hash, bytes calldata signature) pure returns (address) {
    if (signature.length != 65) return address(0);
    return ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
}

/// A wallet that belongs to one key.
contract MinimalWallet {
    address public owner;

    constructor(address firstOwner) {
        owner = firstOwner;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        address signer = recover(hash, signature);
        return signer != address(0) && signer == owner ? MAGIC_VALUE : bytes4(0xffffffff);
    }
}

/// Deploys a MinimalWallet at an address that is known before.
contract WalletFactory {
    function deploy(address owner, bytes32 salt) external returns (address) {
        return address(new MinimalWallet{salt: salt}(owner));
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(MinimalWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, codeHash)))));
    }
}

/// The code to which a key delegates its account (EIP-7702). Another key may sign for the account too.
contract DelegatedAccount {
    mapping(address => bool) public isSessionKey;

    function addSessionKey(address key) external {
        require(msg.sender == address(this), "not the account");
        isSessionKey[key] = true;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        address signer = recover(hash, signature);
        bool isValid = signer != address(0) && (signer == address(this) || isSessionKey[signer]);
        return isValid ? MAGIC_VALUE : bytes4(0xffffffff);
    }
}

/// A wallet that does harm instead of answering. The first byte of the signature says how.
contract HostileWallet {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);

    string private url;

    constructor(string memory calledUrl) {
        url = calledUrl;
    }

    function isValidSignature(bytes32, bytes calldata signature) external view returns (bytes4) {
        uint8 mode = uint8(signature[0]);
        if (mode == 1) while (true) {}
        if (mode == 2) {
            // A megabyte, with the right value at the end.
            assembly {
                mstore(1048544, 0x1626ba7e00000000000000000000000000000000000000000000000000000000)
                return(0, 1048576)
            }
        }
        if (mode == 3) revert();
        if (mode == 4) {
            assembly {
                revert(0, 131072)
            }
        }
        if (mode == 5) {
            string[] memory urls = new string[](1);
            urls[0] = url;
            revert OffchainLookup(address(this), urls, signature, this.isValidSignature.selector, "");
        }
        // The right value at the wrong place, with something behind it, or cut off.
        if (mode == 6) returnWord(uint256(uint32(MAGIC_VALUE)));
        if (mode == 7) returnWord((uint256(uint32(MAGIC_VALUE)) << 224) | 1);
        if (mode == 8) {
            assembly {
                mstore(0, 0x1626ba7e00000000000000000000000000000000000000000000000000000000)
                return(0, 4)
            }
        }
        if (mode == 9) returnWord(1);
        if (mode == 10) {
            assembly {
                return(0, 0)
            }
        }
        if (mode == 11) {
            assembly {
                invalid()
            }
        }
        return bytes4(0xffffffff);
    }

    function returnWord(uint256 word) private pure {
        assembly {
            mstore(0, word)
            return(0, 32)
        }
    }
}
