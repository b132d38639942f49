import { type CustomAttribute, foldCase, LIMITS, RESERVED_ATTRIBUTE_NAMES } from '@badge/protocol';
import {
  type ArrivalProblem,
  type ArrivalSkip,
  type ArrivingPerson,
  type ArrivingToken,
  PERSON_DEFAULTS,
  type Place,
  TOKEN_DEFAULTS,
} from './arrival.ts';

const RESERVED = new Set(RESERVED_ATTRIBUTE_NAMES.map(foldCase));

/** What a reader knows of a badge. What is left out is empty. */
export type TokenDraft = Pick<ArrivingToken, 'place' | 'source' | 'headline'> &
  Partial<Omit<ArrivingToken, 'kind'>>;

/**
 * Yields a badge whose texts fit here, and a problem for each thing that was left out or cut. Without a
 * headline, it yields only a problem.
 */
export function* makeToken(draft: TokenDraft): Generator<ArrivingToken | ArrivalProblem> {
  const { place } = draft;
  const problems: string[] = [];
  const fit = (name: string, text: string, max: number) => fitNamed(name, text, { max, problems });
  const headline = fit('headline', draft.headline, LIMITS.headlineCharacters);
  if (headline === '') {
    yield toProblem(place, 'it has no title');
    return;
  }
  const criteria = fit('criteria', draft.criteria ?? '', LIMITS.criteriaCharacters);
  yield {
    ...TOKEN_DEFAULTS,
    ...draft,
    ...findDates(draft, problems),
    kind: 'token',
    headline,
    description: fit('description', draft.description ?? '', LIMITS.descriptionCharacters),
    criteria: criteria === '' ? null : criteria,
    links: fitLinks(draft.links ?? [], problems),
    customAttributes: fitAttributes(draft.customAttributes ?? [], problems),
  };
  for (const detail of problems) yield toProblem(place, detail);
}

/** Yields a person whose texts fit here, and a problem for each text that was cut. */
export function* makePerson(
  draft: Pick<ArrivingPerson, 'place' | 'token' | 'subject' | 'isOwner'> & Partial<ArrivingPerson>,
): Generator<ArrivingPerson | ArrivalProblem> {
  const problems: string[] = [];
  const fit = (name: 'name' | 'note', max: number) =>
    fitNamed(name, draft[name] ?? '', { max, problems }) || null;
  yield {
    ...PERSON_DEFAULTS,
    ...draft,
    kind: 'person',
    name: fit('name', LIMITS.recipientNameCharacters),
    note: fit('note', LIMITS.recipientNoteCharacters),
  };
  for (const detail of problems) yield toProblem(draft.place, detail);
}

export function toProblem(place: Place, detail: string): ArrivalProblem {
  return { kind: 'problem', place, detail };
}

export function toSkip(place: Place, detail: string): ArrivalSkip {
  return { kind: 'skip', place, detail };
}

/** What becomes of a line whose person cannot be found. `who` names the person in the sentence. */
export function refuseSubject(
  place: Place,
  who: string,
  { problem, isNobody = false }: { problem: string; isNobody?: boolean },
): ArrivalProblem | ArrivalSkip {
  return (isNobody ? toSkip : toProblem)(place, `${who} ${problem}`);
}

function toPlainText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').trim();
}

function fitNamed(
  name: string,
  text: string,
  { max, problems }: { max: number; problems: string[] },
): string {
  const characters = [...toPlainText(text)];
  if (characters.length <= max) return characters.join('');
  problems.push(`its ${name} was cut after ${max} characters`);
  return `${characters.slice(0, max - 1).join('')}…`;
}

function findDates(
  { startDateTimestamp: start = null, endDateTimestamp: end = null }: TokenDraft,
  problems: string[],
): Pick<ArrivingToken, 'startDateTimestamp' | 'endDateTimestamp'> {
  const isInOrder = start === null || end === null || start <= end;
  if (!isInOrder) problems.push('its start is after its end, so it has no end here');
  return { startDateTimestamp: start, endDateTimestamp: isInOrder ? end : null };
}

function fitLinks(links: string[], problems: string[]): string[] {
  const texts = [...new Set(links.map(toPlainText))].filter((link) => link !== '');
  const fitting = texts.filter((link) => [...link].length <= LIMITS.linkCharacters).slice(0, LIMITS.links);
  if (fitting.length < texts.length) problems.push('a link was left out: it is too long, or one too many');
  return fitting;
}

function fitAttributes(attributes: CustomAttribute[], problems: string[]): CustomAttribute[] {
  const byName = new Map<string, CustomAttribute>();
  for (const { fieldName, type, value } of attributes) {
    const name = toPlainText(fieldName);
    const isName = name !== '' && [...name].length <= LIMITS.attributeNameCharacters;
    if (!isName || RESERVED.has(foldCase(name)) || byName.has(name) || byName.size >= LIMITS.customAttributes)
      problems.push('an attribute was left out: its name is reserved, given twice or too long');
    else if (typeof value === 'string' && [...value].length > LIMITS.attributeTextCharacters)
      problems.push('an attribute was left out: its text is too long');
    else
      byName.set(name, {
        fieldName: name,
        type,
        value: typeof value === 'string' ? toPlainText(value) : value,
      });
  }
  return [...byName.values()];
}
