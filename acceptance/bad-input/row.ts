import type { Answer, Call } from '../client.ts';
import type { Body } from '../shapes.ts';
import { type RouteName, routes } from './routes.ts';

export type Headers = Record<string, string>;

/** What to sign instead of the right message, for one signature of a valid request. */
export interface Signing {
  /** The body's field that holds the signature. */
  field: string;
  primaryType?: string;
  isForNextToken?: true;
  isPlainMessage?: true;
  /** Fields of the signing domain to replace. */
  domain?: Body;
}

/** How a valid request is changed before it is sent. */
export interface Change {
  signing?: Signing;
  body?: (valid: Body) => unknown;
  text?: (valid: string) => string | Uint8Array<ArrayBuffer> | ReadableStream;
  headers?: (valid: Headers) => Headers;
  path?: (valid: string) => string;
}

export interface TypedField {
  name: string;
  type: string;
}

/** What the requests of rows need: a community, its keys, and tokens to claim, to burn and to add contributors to. */
export interface Fixture {
  communityId: string;
  key: string;
  otherKey: string;
  revokedKey: string;
  operatorKey: string;
  openTokenId: number;
  allowlistedTokenId: number;
  /** Sends a valid request of this route with one change. */
  send(route: RouteName, change: Change): Promise<Answer>;
  /** Sends a correctly signed request for a token with these fields. */
  create(fields: Body): Promise<Answer>;
  /** Sends a request for a token, signed for a changed domain or with changed fields of the type `Badge`. */
  createSignedFor(domain: Body, change?: (badge: TypedField[]) => TypedField[]): Promise<Answer>;
  call(path: string, call?: Call): Promise<Answer>;
  /** Writes these bytes to a new connection and reads the response. */
  write(request: string | Uint8Array): Promise<Answer>;
}

/** One bad request, or one that only looks bad. */
export interface Row {
  /** The method and the path, with `:name` for a parameter. */
  call: string;
  case: string;
  /** Status, error name, and the places in `errors`: `400 InvalidRequest /headline ?limit`. */
  answer: string;
  why: string;
  send(fixture: Fixture): Promise<Answer>;
}

export interface Section {
  title: string;
  rows: Row[];
}

/** A row that makes one change to a valid request. */
export function changed(route: RouteName, row: Pick<Row, 'case' | 'answer' | 'why'>, change: Change): Row {
  return { call: routes[route], ...row, send: (fixture) => fixture.send(route, change) };
}

/** A row that sets fields of a valid body, without signing it again. */
export function withFields(
  route: RouteName,
  title: string,
  fields: Record<string, unknown>,
  answer: string,
  why: string,
): Row {
  return changed(route, { case: title, answer, why }, { body: (valid) => ({ ...valid, ...fields }) });
}

/** A row that writes one field as this JSON text, for values that JSON.stringify cannot write. */
export function withLiteral(
  route: RouteName,
  field: string,
  literal: string,
  answer: string,
  why: string,
): Row {
  const placeholder = '@literal@';
  return changed(
    route,
    { case: `\`"${field}": ${literal}\``, answer, why },
    {
      body: (valid) => ({ ...valid, [field]: placeholder }),
      text: (valid) => valid.replace(`"${placeholder}"`, () => literal),
    },
  );
}
