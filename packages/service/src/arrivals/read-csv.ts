import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { CSV_FIELDS, CSV_SETTINGS, type CsvField, parseEmailAddress, readCsvCell } from '@badge/protocol';
import {
  type Arrival,
  ArrivalError,
  type ArrivalSource,
  type ArrivingPerson,
  type Place,
  type ReadArrivals,
} from './arrival.ts';
import { createPictures, type Pictures } from './create-pictures.ts';
import { findSubject } from './find-subject.ts';
import { makePerson, makeToken, refuseSubject, type TokenDraft, toProblem } from './make-token.ts';
import { openSourceFiles, type SourceFile } from './open-source-files.ts';
import { type DateOrder, parseTime } from './parse-time.ts';
import { readRows } from './read-rows.ts';

const FIELDS = Object.keys(CSV_FIELDS) as CsvField[];
const PERSON_FIELDS: CsvField[] = ['person', 'address', 'email'];
const TABLE = /\.(csv|tsv|txt)$/i;
// The badges that were seen stay in memory.
const MAX_BADGES = 100_000;
// As in every format.
const MAX_ID_CHARACTERS = 256;

/** What a CSV file says, by its columns. */
interface Mapping {
  columns: Map<CsvField, number>;
  constants: Map<CsvField, string>;
  service: string;
  order: DateOrder;
}

type Cells = Partial<Record<CsvField, string>>;

/**
 * Reads CSV files: each line is a person of a badge, or only a badge. The mapping names the column of each
 * field; without it, the columns have the names of the fields.
 */
export const readCsv: ReadArrivals = async function* (source) {
  await using files = await openSourceFiles(source.path);
  await using pictures = await createPictures(source, files.files);
  const tables = files.files.filter(({ name }) => TABLE.test(name) || files.files.length === 1);
  if (tables.length === 0) throw new ArrivalError(`${source.name} has no file whose name ends in .csv`);
  const seen: TableContext['seen'] = new Map();
  for (const file of tables) {
    const toPlace = (line: number): Place => (tables.length === 1 ? line : `${file.name}:${line}`);
    yield* readTable(file, { source, pictures, seen, toPlace });
  }
};

interface TableContext {
  source: ArrivalSource;
  pictures: Pictures;
  /** By the id of each badge that was made: hashes of what was said of it. */
  seen: Map<string, Map<CsvField, string>>;
  toPlace: (line: number) => Place;
}

async function* readTable(file: SourceFile, context: TableContext): AsyncGenerator<Arrival> {
  let mapping: Mapping | null = null;
  for await (const { line, cells, problem } of readRows(file)) {
    const texts = cells.map((cell) => readCsvCell(cell.trim()).trim());
    if (texts.every((text) => text === '')) continue;
    const place = context.toPlace(line);
    if (mapping === null) {
      if (problem !== null) throw new ArrivalError(`${basename(file.name)}: line ${line}: ${problem}`);
      mapping = readMapping(texts, context.source.mapping);
    } else if (problem !== null) yield toProblem(place, problem);
    else yield* readRow(place, toFields(texts, mapping), mapping, context);
  }
  if (mapping === null) throw new ArrivalError(`${basename(file.name)} is empty`);
}

/** Finds the columns in the header. Throws `ArrivalError` if the mapping does not fit to it. */
function readMapping(header: string[], given: Record<string, string>): Mapping {
  const columns = new Map<CsvField, number>();
  const constants = new Map<CsvField, string>();
  const { service = 'csv', dateOrder, ...fields } = given;
  const order = dateOrder?.replace(/^=/, '') ?? null;
  if (order !== null && order !== 'dmy' && order !== 'mdy')
    throw new ArrivalError('the mapping has a "dateOrder" that is neither "dmy" nor "mdy"');
  for (const [field, column] of Object.entries(fields)) {
    if (!isField(field))
      throw new ArrivalError(
        `the mapping has ${JSON.stringify(field)}, which is no field; the fields are ${[...FIELDS, ...Object.keys(CSV_SETTINGS)].join(', ')}`,
      );
    if (column.startsWith('=')) constants.set(field, column.slice(1).trim());
    else columns.set(field, findColumn(header, column));
  }
  if (Object.keys(fields).length === 0) {
    for (const field of FIELDS) {
      const index = header.findIndex((name) => fold(name) === fold(field));
      if (index !== -1) columns.set(field, index);
    }
  }
  const has = (field: CsvField) => columns.has(field) || constants.has(field);
  if (!has('headline') && !has('badgeId'))
    throw new ArrivalError(
      'no column says which badge a line is of: name the column of "headline" in the mapping, or give a text for all lines, such as "=Speaker 2026"',
    );
  return { columns, constants, service: service.replace(/^=/, ''), order };
}

function isField(name: string): name is CsvField {
  return Object.hasOwn(CSV_FIELDS, name);
}

function findColumn(header: string[], column: string): number {
  const exact = header.indexOf(column.trim());
  const index = exact === -1 ? header.findIndex((name) => fold(name) === fold(column)) : exact;
  if (index === -1)
    throw new ArrivalError(
      `the mapping names the column ${JSON.stringify(column)}, and the columns are ${header.map((name) => JSON.stringify(name)).join(', ')}`,
    );
  return index;
}

const fold = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

function toFields(texts: string[], { columns, constants }: Mapping): Cells {
  const cells: Cells = Object.fromEntries(constants);
  for (const [field, index] of columns) {
    const text = texts[index] ?? '';
    if (text !== '') cells[field] = text;
  }
  return cells;
}

function* readRow(place: Place, cells: Cells, mapping: Mapping, context: TableContext): Generator<Arrival> {
  const id = cells.badgeId ?? cells.headline;
  if (id === undefined) {
    yield toProblem(place, 'it does not say which badge it is of');
    return;
  }
  if ([...id].length > MAX_ID_CHARACTERS) {
    const name =
      cells.badgeId === undefined ? 'headline, which is the id of the badge without a badgeId,' : 'badgeId';
    yield toProblem(place, `its ${name} has more than ${MAX_ID_CHARACTERS} characters`);
    return;
  }
  const { times, problems } = readTimes(cells, mapping.order);
  if (problems.length > 0) {
    for (const detail of problems) yield toProblem(place, detail);
    return;
  }
  const token = { service: mapping.service, id };
  const draft = toDraft(place, cells, times, { ...token, url: null });
  const said = hashBadge(cells);
  const before = context.seen.get(id);
  if (before === undefined) {
    if (context.seen.size >= MAX_BADGES)
      throw new ArrivalError(`it has more than ${MAX_BADGES} badges: divide it`);
    context.seen.set(id, said);
    const picture = context.pictures.find({ id, reference: cells.picture ?? null });
    yield* makeToken({ ...draft, picture });
  } else {
    const field = [...said.keys()].find((name) => said.get(name) !== before.get(name));
    if (field !== undefined) {
      yield toProblem(place, `its ${field} is another one than in the first line with this badge`);
      return;
    }
  }
  const personal = PERSONAL_FIELDS.filter((field) => mapping.columns.has(field));
  yield* readPerson(place, cells, times, { token, personal });
}

const BADGE_FIELDS: CsvField[] = FIELDS.slice(0, FIELDS.indexOf('person'));
const PERSONAL_FIELDS: CsvField[] = FIELDS.slice(FIELDS.indexOf('person'));

function hashBadge(cells: Cells): Map<CsvField, string> {
  return new Map(
    BADGE_FIELDS.flatMap((field) => {
      const text = cells[field];
      return text === undefined
        ? []
        : [[field, createHash('sha256').update(text).digest('base64').slice(0, 16)] as const];
    }),
  );
}

type Times = Partial<Record<CsvField, number>>;
const TIME_FIELDS: CsvField[] = [
  'startDate',
  'endDate',
  'createdAt',
  'claimableUntil',
  'validUntil',
  'claimedAt',
  'revokedAt',
  'expiresAt',
];

function readTimes(cells: Cells, order: DateOrder): { times: Times; problems: string[] } {
  const times: Times = {};
  const problems: string[] = [];
  for (const field of TIME_FIELDS) {
    const text = cells[field];
    if (text === undefined) continue;
    const time = parseTime(text, order);
    if ('problem' in time) problems.push(`${field} ${time.problem}`);
    else times[field] = time.timestamp;
  }
  return { times, problems };
}

function toDraft(place: Place, cells: Cells, times: Times, source: TokenDraft['source']): TokenDraft {
  return {
    place,
    source,
    headline: cells.headline ?? source.id,
    description: cells.description ?? '',
    criteria: cells.criteria ?? null,
    links: cells.link === undefined ? [] : [cells.link],
    startDateTimestamp: times.startDate ?? null,
    endDateTimestamp: times.endDate ?? null,
    createdAtTimestamp: times.createdAt ?? null,
    expirationTimestamp: times.claimableUntil ?? null,
    validUntilTimestamp: times.validUntil ?? null,
  };
}

const STATUSES: Record<string, 'claimed' | 'unclaimed' | 'revoked'> = {
  claimed: 'claimed',
  accepted: 'claimed',
  issued: 'claimed',
  unclaimed: 'unclaimed',
  pending: 'unclaimed',
  revoked: 'revoked',
};

function* readPerson(
  place: Place,
  cells: Cells,
  times: Times,
  { token, personal }: { token: ArrivingPerson['token']; personal: CsvField[] },
): Generator<Arrival> {
  const field = PERSON_FIELDS.find((name) => cells[name] !== undefined);
  if (field === undefined) {
    // A line with nothing of a person is only a badge. What is said for all lines says nothing of this one.
    const said = personal.find((name) => cells[name] !== undefined);
    if (said !== undefined)
      yield toProblem(place, `it has the ${said} of a person, but nobody to give the badge to`);
    return;
  }
  const subject = findSubject(cells[field] ?? '');
  if ('problem' in subject) {
    yield refuseSubject(place, field, subject);
    return;
  }
  if (field === 'address' && !('address' in subject)) {
    yield toProblem(place, 'address is no address');
    return;
  }
  const status = cells.status === undefined ? null : STATUSES[cells.status.toLowerCase()];
  if (status === undefined) {
    yield toProblem(place, 'status is none of claimed, unclaimed and revoked');
    return;
  }
  const email = 'email' in subject ? null : (cells.email ?? null);
  if (email !== null && typeof parseEmailAddress(email) === 'string') {
    yield toProblem(place, 'email is no e-mail that can be read');
    return;
  }
  const { claimedAt = null, revokedAt = null, expiresAt = null } = times;
  if (status === 'revoked' && revokedAt === null) {
    yield toProblem(place, 'it was revoked, and revokedAt does not say when');
    return;
  }
  yield* makePerson({
    place,
    token,
    subject,
    isOwner: status === null ? claimedAt !== null || revokedAt !== null : status !== 'unclaimed',
    claimedAtTimestamp: claimedAt,
    ended: revokedAt === null ? null : { atTimestamp: revokedAt, how: 'revoked' },
    renewedUntilTimestamp: expiresAt,
    name: cells.name ?? null,
    email,
    note: cells.note ?? null,
  });
}
