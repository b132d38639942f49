import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Address, Nullable } from './field-types.ts';

/** The body of POST /v1/ensNames. */
export const ReadEnsNamesBody = Type.Object(
  {
    addresses: Type.Array(Address, {
      minItems: 1,
      maxItems: LIMITS.namedAddresses,
      description: '1 to 100 addresses, in upper, lower or mixed case.',
    }),
  },
  {
    title: 'ReadEnsNamesBody',
    examples: [{ addresses: ['0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044'] }],
  },
);
export type ReadEnsNamesBody = Static<typeof ReadEnsNamesBody>;

/** An item of the response of POST /v1/ensNames. */
export const EnsName = Type.Object(
  {
    address: Address,
    name: {
      ...Nullable(Type.String()),
      description:
        'The primary name of the address, such as `ada.eth`. Null: it has none, or it is not known yet.',
    },
  },
  { title: 'EnsName' },
);
export type EnsName = Static<typeof EnsName>;

/** The response of POST /v1/ensNames. */
export const EnsNames = Type.Object(
  { items: Type.Array(EnsName, { description: 'An item for each address, in the order sent.' }) },
  { title: 'EnsNames' },
);
export type EnsNames = Static<typeof EnsNames>;
