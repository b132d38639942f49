import type { ApiResponse, Call } from '../client.ts';
import type { Body } from '../shapes.ts';
import { type RouteName, routes } from './routes.ts';

export type Headers = Record<string, string>;

/**
 * Which signature of a valid request is replaced by a wrong one, and how: for another message, type or
 * domain.
 */
export interface WrongSignature {
  /** The body's field that holds the signature. */
  field: string;
  /** The EIP-712 type to sign instead of the right one. */
  primaryType?: string;
  /** Signs the token id plus 1. */
  isForNextToken?: true;
  /** Signs the token id as a plain message instead of as typed data. */
  isPlainMessage?: true;
  /** The fields of the signing domain to replace. */
  domain?: Body;
}

/**
 * How a valid request is changed before it is sent. Each function gets a valid part and returns the changed
 * one.
 */
export interface Change {
  wrongSignature?: WrongSignature;
  body?: (valid: Body) => unknown;
  /** Changes the JSON text of the body, after `body`. */
  text?: (valid: string) => string | Uint8Array<ArrayBuffer> | ReadableStream;
  headers?: (valid: Headers) => Headers;
  path?: (valid: string) => string;
}

export interface TypedField {
  name: string;
  type: string;
}

/**
 * What the rows need to send their requests: a community, API keys, an open token and an allowlisted token.
 */
export interface Fixture {
  communityId: string;
  key: string;
  otherKey: string;
  revokedKey: string;
  operatorKey: string;
  openTokenId: number;
  allowlistedTokenId: number;
  /** Sends a valid request of this route with these changes. */
  send(route: RouteName, change: Change): Promise<ApiResponse>;
  /** Sends a correctly signed request for a token with these fields. */
  create(fields: Body): Promise<ApiResponse>;
  /** Sends a request for a token, signed for a changed domain or with changed fields of the type `Badge`. */
  createSignedFor(
    domainChanges: Body,
    changeBadgeType?: (badgeType: TypedField[]) => TypedField[],
  ): Promise<ApiResponse>;
  call(path: string, call?: Call): Promise<ApiResponse>;
  /** Writes these bytes to a new connection and reads the response. */
  write(request: string | Uint8Array): Promise<ApiResponse>;
}

/** The response that rejects a body or query with errors at these places. */
export const invalidAt = (...places: string[]) => `400 InvalidRequest ${places.join(' ')}`;

/** A row of the page of bad input: a request that is bad or only looks bad, and its response. */
export interface Row {
  /** The method and the path, with `:name` for a parameter. */
  call: string;
  /** What is bad, or only looks bad. */
  case: string;
  /**
   * The status. For an error, also its name and the places in `errors`: `400 InvalidRequest /headline
   * ?limit`. A place is a pointer into the body, `(body)` for the whole body, or `?` and the name of a
   * parameter, a header or another part of the request. `200 empty` is a list without items.
   */
  response: string;
  /** The rule that decides the response, or the reason for the rule. */
  why: string;
  send(fixture: Fixture): Promise<ApiResponse>;
}

export interface Section {
  title: string;
  rows: Row[];
}

/** A row that sends a changed valid request. */
export function rowWithChange(
  route: RouteName,
  row: Pick<Row, 'case' | 'response' | 'why'>,
  change: Change,
): Row {
  return { call: routes[route], ...row, send: (fixture) => fixture.send(route, change) };
}

/** A row that sets fields of a valid body, without signing it again. */
export function rowWithFields(
  route: RouteName,
  title: string,
  fields: Record<string, unknown>,
  response: string,
  why: string,
): Row {
  return rowWithChange(route, { case: title, response, why }, { body: (valid) => ({ ...valid, ...fields }) });
}

/** A row that writes one field as this JSON text, for values that JSON.stringify cannot write. */
export function rowWithLiteral(
  route: RouteName,
  field: string,
  literal: string,
  response: string,
  why: string,
): Row {
  const placeholder = '@literal@';
  return rowWithChange(
    route,
    { case: `\`"${field}": ${literal}\``, response, why },
    {
      body: (valid) => ({ ...valid, [field]: placeholder }),
      text: (valid) => valid.replace(`"${placeholder}"`, () => literal),
    },
  );
}
