import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import { Notice } from '../../design/notice.tsx';
import { Spinner } from '../../design/spinner.tsx';
import { usePageTitle } from '../../page-title.ts';
import { type CheckedFile, checkFile, type Trust } from './check-credential.ts';
import { toCredentialUrl } from './credential-link.ts';
import { FileInput } from './file-input.tsx';
import { LinkForm } from './link-form.tsx';
import { readUrl } from './read-url.ts';
import { Result } from './result.tsx';
import styles from './verify-page.module.css';

// The largest file that `verifyCredential` takes.
const MAX_FILE_BYTES = 32 * 2 ** 20;

type State =
  | { name: 'empty' }
  | { name: 'checking' }
  /** `host` is null for a file. */
  | { name: 'unreadable'; host: string | null }
  | { name: 'checked'; checked: CheckedFile };

/** Checks the credential in a file or behind a link. Everything is checked in the browser. */
export default function VerifyPage() {
  const { t } = useTranslation('verify');
  usePageTitle(t('title'));
  const [search] = useSearchParams();
  const [initialLink] = useState(search.get('url') ?? '');
  const [trust, setTrust] = useState<Trust>({ issuers: [], origins: [] });
  /** What was checked last. */
  const [source, setSource] = useState<File | URL | null>(null);
  const [chosenFiles, setChosenFiles] = useState(0);
  const { state, check, checkAgain } = useCheck();

  const checkSource = useCallback(
    (next: File | URL) => {
      setSource(next);
      if (next instanceof URL) void check(next.host, () => readUrl(next.href, MAX_FILE_BYTES), trust);
      else void check(null, () => readFile(next), trust);
    },
    [check, trust],
  );
  function choose(file: File): void {
    setChosenFiles((count) => count + 1);
    checkSource(file);
  }

  // A link to this page can name a credential of this service. Any other site is only asked if the person
  // presses the button.
  const isFirstRef = useRef(true);
  useEffect(() => {
    if (!isFirstRef.current) return;
    isFirstRef.current = false;
    const url = toCredentialUrl(initialLink, location.origin);
    if (url?.origin === location.origin) checkSource(url);
  }, [initialLink, checkSource]);

  function addTrust(added: Partial<Trust>): void {
    const extended = {
      issuers: [...trust.issuers, ...(added.issuers ?? [])],
      origins: [...trust.origins, ...(added.origins ?? [])],
    };
    setTrust(extended);
    void checkAgain(extended);
  }

  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1>{t('title')}</h1>
        <p className={styles.lead}>{t('lead')}</p>
      </header>
      <div className={styles.inputs}>
        <FileInput fileName={source instanceof File ? source.name : null} onFile={choose} />
        <LinkForm
          // A file takes the place of what is in the field. With an empty field, the button checks the last
          // one again.
          key={chosenFiles}
          initialLink={chosenFiles === 0 ? initialLink : ''}
          onEmpty={source === null ? null : () => checkSource(source)}
          onLink={checkSource}
        />
      </div>
      <div className={styles.result}>
        {state.name === 'empty' && (
          <section className={styles.howTo}>
            <h2>{t('howTo.title')}</h2>
            <p className={styles.muted}>{t('howTo.text')}</p>
          </section>
        )}
        {state.name === 'checking' && (
          <p role="status" className={styles.checking}>
            <Spinner /> {t('checking')}
          </p>
        )}
        {state.name === 'unreadable' && (
          <Notice tone="error" isLive>
            {state.host === null ? t('file.failed') : t('link.failed', { host: state.host })}
          </Notice>
        )}
        {state.name === 'checked' && (
          <Result
            checked={state.checked}
            onTrust={addTrust}
            onChoose={(index) => void checkAgain(trust, index)}
          />
        )}
      </div>
    </div>
  );
}

async function readFile(file: File): Promise<Uint8Array<ArrayBuffer>> {
  // Of a larger file, what is read is already too large for a credential.
  return new Uint8Array(await file.slice(0, MAX_FILE_BYTES + 1).arrayBuffer());
}

/** Checks one file after the other. The result of an earlier one is dropped. */
function useCheck() {
  const [state, setState] = useState<State>({ name: 'empty' });
  const lastRef = useRef(0);

  const check = useCallback(
    async (host: string | null, read: () => Promise<Uint8Array<ArrayBuffer>>, trust: Trust) => {
      lastRef.current += 1;
      const number = lastRef.current;
      const show = (next: State) => {
        if (number === lastRef.current) setState(next);
      };
      show({ name: 'checking' });
      const bytes = await read().catch(() => null);
      if (bytes === null) return show({ name: 'unreadable', host });
      show({ name: 'checked', checked: await checkFile(bytes, trust, 0) });
    },
    [],
  );

  // The result stays visible meanwhile.
  async function checkAgain(trust: Trust, index?: number): Promise<void> {
    if (state.name !== 'checked') return;
    lastRef.current += 1;
    const number = lastRef.current;
    const { bytes, verification } = state.checked;
    const checked = await checkFile(bytes, trust, index ?? verification.presentation?.index ?? 0);
    if (number === lastRef.current) setState({ name: 'checked', checked });
  }

  return { state, check, checkAgain };
}
