import { ConsoleNotFound } from '../console-not-found.tsx';

export default function GivePage() {
  return <ConsoleNotFound />;
}
