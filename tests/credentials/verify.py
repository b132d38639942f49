"""Verifies credentials with PyLD and python-cryptography, without any code of this project.

Reads JSON from the standard input: {"contexts": {url: context}, "lists": {url: status list}, "credentials": [credential]}.
Prints a list of "valid", "revoked" or "rejected".
"""

import base64
import gzip
import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pyld import jsonld

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def decode_base58(text):
    number = 0
    for character in text:
        number = number * 58 + ALPHABET.index(character)
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def canonize(document, contexts):
    def load(url, options):
        return {"contextUrl": None, "documentUrl": url, "document": contexts[url], "contentType": "application/ld+json"}

    options = {"algorithm": "URDNA2015", "format": "application/n-quads", "documentLoader": load, "base": ""}
    return hashlib.sha256(jsonld.normalize(document, options).encode()).digest()


# PyLD leaves out members that no context defines, instead of reporting them. So every member must come back.
def has_only_known_members(document, contexts):
    def load(url, options):
        return {"contextUrl": None, "documentUrl": url, "document": contexts[url], "contentType": "application/ld+json"}

    def count(value):
        if isinstance(value, dict):
            return sum(1 + count(item) for name, item in value.items() if name != "@context")
        return sum(count(item) for item in value) if isinstance(value, list) else 0

    options = {"documentLoader": load, "compactArrays": False, "base": ""}
    compacted = jsonld.compact(document, {"@context": document["@context"]}, options)
    members = compacted.get("@graph", [compacted])
    return sum(count(member) for member in members) >= count(document)


def is_signed(document, contexts):
    signed = {name: value for name, value in document.items() if name != "proof"}
    proof = dict(document["proof"])
    signature = decode_base58(proof.pop("proofValue")[1:])
    issuer = document["issuer"]["id"] if isinstance(document["issuer"], dict) else document["issuer"]
    method = issuer + "#" + issuer.removeprefix("did:key:")
    if (proof["verificationMethod"], proof["cryptosuite"]) != (method, "eddsa-rdfc-2022"):
        return False
    if proof["proofPurpose"] != "assertionMethod" or proof["type"] != "DataIntegrityProof":
        return False
    key = decode_base58(issuer.removeprefix("did:key:z"))
    options = {"@context": document["@context"], **proof}
    if key[:2] != b"\xed\x01" or not all(has_only_known_members(one, contexts) for one in (signed, options)):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key[2:]).verify(
            signature, canonize(options, contexts) + canonize(signed, contexts)
        )
    except InvalidSignature:
        return False
    return True


def judge(credential, contexts, lists):
    try:
        if not is_signed(credential, contexts):
            return "rejected"
        entry = credential["credentialStatus"]
        status = lists[entry["statusListCredential"]]
        if not is_signed(status, contexts) or status["id"] != entry["statusListCredential"]:
            return "rejected"
        encoded = status["credentialSubject"]["encodedList"][1:]
        bits = gzip.decompress(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
        index = int(entry["statusListIndex"])
        return "revoked" if bits[index // 8] & (0x80 >> index % 8) else "valid"
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, jsonld.JsonLdError):
        return "rejected"


def main():
    request = json.load(sys.stdin)
    print(json.dumps([judge(one, request["contexts"], request["lists"]) for one in request["credentials"]]))


main()
