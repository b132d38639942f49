import { useEffect } from 'react';
import type { AroundNavHandler } from 'wouter';

let questions = 0;

/**
 * While `isAsked`, whoever leaves the page is asked whether they mean it: by the browser before the page is
 * closed or reloaded, by `askBeforeLeaving` before another page of the console is opened.
 */
export function useLeaveQuestion(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    questions += 1;
    return () => {
      removeEventListener('beforeunload', ask);
      questions -= 1;
    };
  }, [isAsked]);
}

/** Returns the function through which the router opens other pages. `question` is a text for people. */
export function askBeforeLeaving(question: string): AroundNavHandler {
  return (navigate, to, options) => {
    // A filter of the same page is in the query of its address.
    const isOther = new URL(to, location.href).pathname !== location.pathname;
    if (questions === 0 || !isOther || confirm(question)) navigate(to, options);
  };
}
