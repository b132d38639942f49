import type { KnownPeople, LineProblem } from '../give/judge-lines.ts';

/** A list of people, as the page that gives the badge reads it. */
export interface PeopleList {
  /** The addresses and e-mails, each once. */
  people: string[];
  /** How many lines have the same recipient as an earlier line. */
  repeatedCount: number;
  /** The lines that are wrong, from the top. A text that may be a secret is left out. */
  wrongLines: { line: number; text: string; problem: LineProblem }[];
}

export type ReadPeopleList = (text: string) => PeopleList;

/** Nobody has a badge that is not made yet. */
const NOBODY: KnownPeople = { holders: new Set(), contributors: new Map(), linked: new Set() };

/** Loads the code that reads a list: only some badges are for people on a list. */
export async function loadPeopleReader(): Promise<ReadPeopleList> {
  const [{ readPeople }, { judgeLines }] = await Promise.all([
    import('../give/read-people.ts'),
    import('../give/judge-lines.ts'),
  ]);
  return (text) => {
    const list: PeopleList = { people: [], repeatedCount: 0, wrongLines: [] };
    const lines = readPeople(text);
    for (const [index, judgement] of judgeLines(lines, true, NOBODY).entries()) {
      const { line = 0, recipient = '', name = '' } = lines[index] ?? {};
      if (judgement.kind === 'wrong') {
        const { problem } = judgement;
        const written = recipient === '' ? name : recipient;
        list.wrongLines.push({ line, text: problem === 'secret' ? '' : written, problem });
      } else if (judgement.kind === 'repeated') list.repeatedCount += 1;
      else list.people.push(judgement.recipient);
    }
    return list;
  };
}
