import { type Finding, ok, problem, warning } from './finding.ts';

const OLDEST_NODE = [22, 18];

/** Whether this Node runs the service, and checks signatures at full speed. */
export function checkRuntime(runtime: { nodeVersion: string; curveImplementation: string }): Finding[] {
  const { nodeVersion, curveImplementation } = runtime;
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return [
    isOld
      ? problem('Node', nodeVersion, `use ${OLDEST_NODE.join('.')} or newer; npm scripts bring a fitting one`)
      : ok('Node', nodeVersion),
    curveImplementation === 'libsecp256k1'
      ? ok('signatures', 'the native libsecp256k1 fits this machine')
      : warning(
          'signatures',
          `no native libsecp256k1 fits this machine: ${curveImplementation} checks them more slowly`,
          'run npm ci on this machine, with install scripts',
        ),
  ];
}
