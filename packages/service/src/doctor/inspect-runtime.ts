import { type Finding, ok, problem, warning } from './finding.ts';

const MIN_NODE = [22, 18] as const;

/**
 * States the version of the release. Checks the version of Node, that the native signature library is
 * available, and that the web pages are built.
 */
export function inspectRuntime(runtime: {
  version: string;
  nodeVersion: string;
  curveImplementation: string;
  hasWebPages: boolean;
}): Finding[] {
  const { version, nodeVersion, curveImplementation, hasWebPages } = runtime;
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [minMajor, minMinor] = MIN_NODE;
  const isOld = major < minMajor || (major === minMajor && minor < minMinor);
  return [
    ok('Badge', version),
    isOld
      ? problem(
          'Node',
          nodeVersion,
          `use ${MIN_NODE.join('.')} or newer; on Linux the npm scripts bring their own`,
        )
      : ok('Node', nodeVersion),
    curveImplementation === 'libsecp256k1'
      ? ok('signatures', 'verified by the native libsecp256k1')
      : warning(
          'signatures',
          `the native libsecp256k1 is not available; ${curveImplementation} is slower`,
          'run npm ci on this machine, with install scripts enabled',
        ),
    hasWebPages
      ? ok('web pages', 'built')
      : warning('web pages', 'not built', 'run npm run prepare, then restart the service'),
  ];
}
