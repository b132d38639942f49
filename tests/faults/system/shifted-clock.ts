// Loaded before the service. Each SIGUSR2 sets the clock of this process to the next offset.
const OFFSETS_MS = [0, 2 * 3_600_000, -2 * 3_600_000];

const RealDate = Date;
let offsetIndex = Number(process.env.FAULTS_CLOCK_OFFSET_INDEX ?? 0);
const offsetMs = () => OFFSETS_MS[offsetIndex % OFFSETS_MS.length] ?? 0;

process.on('SIGUSR2', () => {
  offsetIndex += 1;
});

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + offsetMs()] : args, newTarget),
  apply: () => new RealDate(RealDate.now() + offsetMs()).toString(),
  get: (target, key, receiver) =>
    key === 'now' ? () => RealDate.now() + offsetMs() : Reflect.get(target, key, receiver),
});
