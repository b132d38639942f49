import { ConsoleNotFound } from '../console-not-found.tsx';

export default function RoomPage() {
  return <ConsoleNotFound />;
}
