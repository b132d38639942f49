import { ConsoleNotFound } from '../console-not-found.tsx';

export default function BadgePage() {
  return <ConsoleNotFound />;
}
