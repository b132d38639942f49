// secp256k1 depends on elliptic, for a fallback in JavaScript. The service falls back to @noble/curves instead, so no code of
// elliptic is installed: `overrides` in the root's package.json asks for this package. Its version is higher than those in
// advisories about elliptic. No registry has it, so nobody else's package can be installed in its place.
throw new Error('elliptic is not installed: without its native module, secp256k1 cannot be used');
