import { EIP712_TYPES } from '@badge/protocol';
import { type Address, type Hex, verifyTypedData } from 'viem';
import { parseAddress } from '../../../packages/service/src/signatures/address.ts';
import { recoverSigner } from '../../../packages/service/src/signatures/recover-signer.ts';
import { parseSignature } from '../../../packages/service/src/signatures/signature.ts';
import { atLeast, compare, type Figure } from '../figure.ts';
import { DOMAIN, type SignedRequest, signCreations, typedData } from '../signed-requests.ts';

const SAMPLES = 500;
const CALLS_PER_CLOCK_READ = 10;

/** A signed message of the type `Badge` or `Claim`, as viem verifies it. */
export type Verifiable = Omit<SignedRequest<object>, 'request'>;

/**
 * The service's check of a token's signature, compared with viem's `verifyTypedData`. Both run in this
 * process.
 */
export const signatureCheck: Figure = {
  name: 'signature-check',
  async measure({ extent, service }) {
    const signed = signCreations(SAMPLES, service.community);
    const check = async ({ message, signature, signer }: (typeof signed)[number]) => {
      const parsed = parseSignature(signature);
      const recovered = parsed && recoverSigner(typedData.badgeDigest(message), parsed);
      if (!recovered?.equals(parseAddress(signer))) throw new Error('a signature was not recognized');
    };
    const measureFigure = () => countPerSecond(extent.windowMs, signed, check);
    const measureReference = () => measureViem('Badge', signed, extent.windowMs);
    // The first measurement only warms up the code.
    await measureFigure();
    return [
      {
        name: 'signature check',
        unit: '/s',
        ...(await compare(extent.rounds, measureFigure, measureReference)),
        goal: atLeast(25, 35),
      },
    ];
  },
};

/** How many signatures viem's `verifyTypedData` verifies per second in this process. */
export async function measureViem(
  primaryType: 'Badge' | 'Claim',
  signed: Verifiable[],
  windowMs: number,
): Promise<number> {
  return await countPerSecond(windowMs, signed, async ({ message, signature, signer }) => {
    const isValid = await verifyTypedData({
      address: signer as Address,
      domain: DOMAIN,
      types: EIP712_TYPES,
      primaryType,
      message: message as never,
      signature: signature as Hex,
    });
    if (!isValid) throw new Error('viem did not recognize a signature');
  });
}

/** Calls `run` with one item after another. Returns the calls per second. */
async function countPerSecond<Item>(
  windowMs: number,
  items: Item[],
  run: (item: Item) => Promise<void>,
): Promise<number> {
  const startMs = performance.now();
  let calls = 0;
  let elapsedMs = 0;
  while (elapsedMs < windowMs) {
    // The clock is read only after several calls, because reading it takes time too.
    const next = calls % items.length;
    for (const item of items.slice(next, next + CALLS_PER_CLOCK_READ)) {
      await run(item);
      calls += 1;
    }
    elapsedMs = performance.now() - startMs;
  }
  return (calls * 1_000) / elapsedMs;
}
