import { ConsoleNotFound } from '../console-not-found.tsx';

export default function MakePage() {
  return <ConsoleNotFound />;
}
