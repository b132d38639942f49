import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { loadPeopleReader, type PeopleList, type ReadPeopleList } from './people-list.ts';

/** Reads a list of people while it is typed. Null until it is read, or if no list is wanted. */
export function usePeopleList(text: string, isWanted: boolean): PeopleList | null {
  const [read, setRead] = useState<ReadPeopleList | null>(null);
  // A list of 10,000 lines takes a moment, in which the person can go on typing.
  const lastText = useDeferredValue(text);
  useEffect(() => {
    if (!isWanted) return;
    let isOpen = true;
    loadPeopleReader().then(
      (loaded) => {
        if (isOpen) setRead(() => loaded);
      },
      // The form says that the list cannot be read when it is sent.
      () => {},
    );
    return () => {
      isOpen = false;
    };
  }, [isWanted]);
  return useMemo(() => (isWanted && read !== null ? read(lastText) : null), [isWanted, read, lastText]);
}
