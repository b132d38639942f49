import { basename } from 'node:path';
import type { CustomAttribute } from '@badge/protocol';
import { type Arrival, ArrivalError, type ArrivalSource, type Place, type ReadArrivals } from './arrival.ts';
import { createPictures, type Pictures } from './create-pictures.ts';
import { findSubject } from './find-subject.ts';
import { makePerson, makeToken, refuseSubject, toProblem, toSkip } from './make-token.ts';
import { openSourceFiles, type SourceFile } from './open-source-files.ts';
import { type DateOrder, type ParsedTime, parseTime } from './parse-time.ts';
import { isObject, type JsonObject, readDocuments, toItemPlace, toText } from './read-documents.ts';
import { readRows } from './read-rows.ts';

export const POAP = 'poap.tech';
const MAX_DEPTH = 8;
const DAY_MS = 86_400_000;
const JSON_FILE = /\.(json|ndjson|jsonl)$/i;
const TABLE = /\.(csv|tsv)$/i;

/**
 * Reads POAPs: responses of its API and of its GraphQL API as JSON files, and the CSV files of collectors of
 * its pages. Collectors that do not say their event belong to the one whose id is in the name of the file or
 * of its folder, or to the only one.
 */
export const readPoap: ReadArrivals = async function* (source) {
  const order = readSettings(source.mapping);
  await using files = await openSourceFiles(source.path);
  await using pictures = await createPictures(source, files.files);
  const reader = createReader({ pictures, files: files.files, order });
  for (const { name, detail } of files.skipped) yield toProblem(name, `it ${detail}`);
  // First only the events: their collectors can come before them.
  for (const file of files.files) if (JSON_FILE.test(file.name)) yield* reader.readEvents(file);
  if (reader.events.size === 0)
    throw new ArrivalError(
      `${source.name} has no event: save the response of https://api.poap.tech/events/id/ID as a JSON file`,
    );
  for (const file of files.files) yield* reader.readCollectors(file);
};

function readSettings(mapping: ArrivalSource['mapping']): DateOrder {
  const { dateOrder, ...rest } = mapping;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new ArrivalError(`the mapping has ${JSON.stringify(unknown)}; here it has only "dateOrder"`);
  const order = dateOrder?.replace(/^=/, '') ?? null;
  if (order === null || order === 'dmy' || order === 'mdy') return order;
  throw new ArrivalError('the mapping has a "dateOrder" that is neither "dmy" nor "mdy"');
}

interface Options {
  pictures: Pictures;
  files: SourceFile[];
  /** The order of the dates of CSV files. Those of the API have the month first. */
  order: DateOrder;
}

function createReader({ pictures, files, order }: Options) {
  const events = new Set<string>();
  const isOnlyFile = files.length === 1;

  async function* readEvents(file: SourceFile): AsyncGenerator<Arrival> {
    for await (const document of readDocuments(file, isOnlyFile)) {
      if (!('value' in document)) continue;
      for (const event of findEvents(document.value)) {
        const id = toText(event.id);
        if (events.has(id)) continue;
        events.add(id);
        yield* readEvent(id, event, document.place);
      }
    }
  }

  function* readEvent(id: string, event: JsonObject, place: Place): Generator<Arrival> {
    const start = readDate(event.start_date);
    const end = readDate(event.end_date);
    const expiry = readDate(event.expiry_date);
    const created = readDate(event.created_date);
    yield* makeToken({
      place,
      source: { service: POAP, id, url: `https://poap.gallery/event/${id}` },
      headline: toText(event.name),
      description: toText(event.description),
      startDateTimestamp: start,
      endDateTimestamp: end,
      createdAtTimestamp: created,
      // The last day on which it could be minted.
      expirationTimestamp: expiry === null ? null : expiry + DAY_MS,
      links: [toText(event.event_url), toText(event.drop_url)],
      customAttributes: [
        ...(['city', 'country'] as const).map((name) => toAttribute(name, toText(event[name]))),
        ...(event.virtual_event === true || event.virtual === true
          ? [{ fieldName: 'virtual', type: 'boolean' as const, value: true }]
          : []),
      ].filter((attribute) => attribute !== null),
      isHidden: event.private_event === true || event.private === true,
      picture: pictures.find({ id, reference: findImage(event) }),
    });
    const wrong = (['start_date', 'end_date', 'expiry_date'] as const).filter(
      (name) => toText(event[name]) !== '' && readDate(event[name]) === null,
    );
    for (const name of wrong) yield toProblem(place, `its ${name} cannot be read, so it has none here`);
  }

  async function* readCollectors(file: SourceFile): AsyncGenerator<Arrival> {
    if (JSON_FILE.test(file.name)) yield* readPages(file);
    else if (TABLE.test(file.name)) yield* readTable(file);
    else if (/\.txt$/i.test(file.name))
      yield toSkip(file.name, 'links that nobody has used are not imported: make links here');
    else if (!/\.(png|gif|jpe?g|webp)$/i.test(file.name))
      yield toProblem(file.name, 'it is a file of a kind that is not read');
  }

  async function* readPages(file: SourceFile): AsyncGenerator<Arrival> {
    for await (const document of readDocuments(file, isOnlyFile)) {
      const { place } = document;
      if ('problem' in document) {
        yield toProblem(place, document.problem);
        continue;
      }
      let count = 0;
      for (const collector of findCollectors(document.value)) {
        count += 1;
        yield* readCollector(collector, toItemPlace(place, file, count), file);
      }
      const isEmpty = count === 0 && [...findEvents(document.value)].length === 0;
      if (isEmpty && !isEmptyPage(document.value))
        yield toProblem(place, 'it has neither an event nor collectors');
    }
  }

  function* readCollector(collector: JsonObject, place: Place, file: SourceFile): Generator<Arrival> {
    if ('qr_hash' in collector) {
      yield* readLink(collector, place);
      return;
    }
    const { owner, event } = collector;
    const eventId =
      toText(collector.drop_id) || toText(collector.eventId) || (isObject(event) ? toText(event.id) : '');
    const claimed = collector.created ?? collector.minted_on;
    yield* readPerson({
      place,
      eventId: eventId === '' ? findEventId(file) : { id: eventId },
      address: isObject(owner) ? toText(owner.id) : toText(owner) || toText(collector.collector_address),
      // The subgraph has seconds, and the API a text.
      claimed: toText(claimed) === '' ? null : parseTime(claimed, 'mdy'),
    });
  }

  function* readLink(collector: JsonObject, place: Place): Generator<Arrival> {
    // A claimed link says who has claimed it, as the list of the collectors does.
    if (collector.claimed !== true)
      yield toSkip(place, 'a link that nobody has used is not imported: make links here');
  }

  /** Reads the CSV files of POAP Gallery (ID, Collection, …) and of POAP Family (address, ens). */
  async function* readTable(file: SourceFile): AsyncGenerator<Arrival> {
    const eventId = findEventId(file);
    let columns: { address: number; date: number } | null = null;
    for await (const { line, cells, problem } of readRows(file)) {
      if (cells.every((cell) => cell.trim() === '')) continue;
      const place: Place = isOnlyFile ? line : `${file.name}:${line}`;
      if (columns === null) {
        const names = cells.map((cell) => cell.trim().toLowerCase());
        const find = (...wanted: string[]) => names.findIndex((name) => wanted.includes(name));
        // The names of POAP Gallery are one line above their collectors, so only the addresses are read.
        columns = {
          address: find('collection', 'address', 'owner', 'collector', 'wallet'),
          date: find('minting date', 'minted on', 'created', 'claim date'),
        };
        // A list of addresses without a header.
        if (columns.address === -1 && 'address' in findSubject(cells[0] ?? ''))
          columns = { address: 0, date: -1 };
        else if (columns.address !== -1) continue;
        else {
          yield toProblem(place, 'no column is named Collection or address');
          return;
        }
      }
      const date = cells[columns.date]?.trim() ?? '';
      if (problem !== null) yield toProblem(place, problem);
      else
        yield* readPerson({
          place,
          eventId,
          address: cells[columns.address] ?? '',
          claimed: date === '' ? null : parseTime(date, order),
        });
    }
  }

  function* readPerson({
    place,
    eventId,
    address,
    claimed,
  }: {
    place: Place;
    eventId: { id: string } | { problem: string };
    address: string;
    claimed: ParsedTime | null;
  }): Generator<Arrival> {
    const subject = findSubject(address);
    if ('problem' in eventId) yield toProblem(place, eventId.problem);
    else if (!events.has(eventId.id))
      yield toProblem(
        place,
        `event ${eventId.id} is not in the source: save https://api.poap.tech/events/id/${eventId.id} with it`,
      );
    else if ('problem' in subject) yield refuseSubject(place, 'its collector', subject);
    else if (!('address' in subject)) yield toProblem(place, 'its collector is no address');
    else if (claimed !== null && 'problem' in claimed) yield toProblem(place, `its date ${claimed.problem}`);
    else
      yield* makePerson({
        place,
        token: { service: POAP, id: eventId.id },
        subject,
        isOwner: true,
        claimedAtTimestamp: claimed?.timestamp ?? null,
      });
  }

  /** The event of collectors that do not say it. */
  function findEventId({ name }: SourceFile): { id: string } | { problem: string } {
    const parts = name.split('/').reverse();
    for (const part of parts) {
      const ids = (part.match(/\d+/g) ?? []).filter((id) => events.has(id));
      if (ids.length === 1) return { id: ids[0] ?? '' };
    }
    const [only] = events;
    if (events.size === 1 && only !== undefined) return { id: only };
    return {
      problem: `it does not say its event: put the id of the event into the name of ${basename(name)}`,
    };
  }

  return { events, readEvents, readCollectors };
}

/** Finds the events in a response: alone, in a list, or in the tokens of a wallet. */
function* findEvents(value: unknown, depth = 0): Generator<JsonObject> {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) yield* findEvents(item, depth + 1);
  if (!isObject(value)) return;
  const isEvent = 'name' in value && 'id' in value && ('image_url' in value || 'start_date' in value);
  if (isEvent) yield value;
  // A drop without its id has that of the POAP.
  else if (isObject(value.drop) && 'drop_id' in value) yield { id: value.drop_id, ...value.drop };
  else for (const member of Object.values(value)) yield* findEvents(member, depth + 1);
}

/** Finds who has a POAP in a response. */
function* findCollectors(value: unknown, depth = 0): Generator<JsonObject> {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) yield* findCollectors(item, depth + 1);
  if (!isObject(value)) return;
  if ('owner' in value || 'collector_address' in value || 'qr_hash' in value) yield value;
  else for (const member of Object.values(value)) yield* findCollectors(member, depth + 1);
}

// The page after the last one.
function isEmptyPage(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return false;
  const data = isObject(value.data) ? value.data : value;
  return [data.tokens, data.poaps, data.drops].some((list) => Array.isArray(list) && list.length === 0);
}

function findImage(event: JsonObject): string | null {
  const gateways = isObject(event.drop_image) ? event.drop_image.gateways : null;
  const original = Array.isArray(gateways)
    ? gateways.find((gateway: unknown) => isObject(gateway) && gateway.type === 'ORIGINAL')
    : null;
  return (isObject(original) ? toText(original.url) : '') || toText(event.image_url) || null;
}

function readDate(value: unknown): number | null {
  if (toText(value) === '') return null;
  const time = parseTime(value, 'mdy');
  return 'timestamp' in time ? time.timestamp : null;
}

function toAttribute(fieldName: string, value: string): CustomAttribute | null {
  return value === '' ? null : { fieldName, type: 'string', value };
}
