import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
/** Where kubernetes-types declares each kind. */
const MODULES: Record<string, string> = {
  'v1 ConfigMap': 'core/v1',
  'v1 Service': 'core/v1',
  'apps/v1 Deployment': 'apps/v1',
  'batch/v1 Job': 'batch/v1',
  'autoscaling/v2 HorizontalPodAutoscaler': 'autoscaling/v2',
  'policy/v1 PodDisruptionBudget': 'policy/v1',
  'networking.k8s.io/v1 NetworkPolicy': 'networking/v1',
  'networking.k8s.io/v1 Ingress': 'networking/v1',
};

interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: object }[];
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  [probe: `${string}Probe`]: { httpGet: { path: string } };
  [key: string]: unknown;
}
interface Pod {
  metadata: { labels: Record<string, string> };
  spec: {
    initContainers?: Container[];
    containers: Container[];
    volumes: Record<string, unknown>[];
    [key: string]: unknown;
  };
}
interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the types of Kubernetes are checked below, by the compiler
  spec: any;
  data?: Record<string, string>;
}

const resources = parseAllDocuments(readFileSync(join(ROOT, 'deploy/kubernetes/badge.yaml'), 'utf8')).map(
  (document) => document.toJS() as Resource,
);
const named = (kind: string, name: string) => {
  const found = resources.find((resource) => resource.kind === kind && resource.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const ofKind = (kind: string) => resources.filter((resource) => resource.kind === kind);
const deployments = ofKind('Deployment');
const pods: Pod[] = [...ofKind('Job'), ...deployments].map(({ spec }) => spec.template);
const containersOf = ({ spec }: Pod) => [...(spec.initContainers ?? []), ...spec.containers];

/** What the compiler says about resources, with the types that are made from Kubernetes' own schema. */
function compile(manifest: Resource[]): string {
  mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
  const directory = mkdtempSync(join(ROOT, 'node_modules/.cache/badge-kubernetes-'));
  const declarations = manifest.map((resource, index) => {
    const module = MODULES[`${resource.apiVersion} ${resource.kind}`];
    if (module === undefined) throw new Error(`unknown: ${resource.apiVersion} ${resource.kind}`);
    return `export const r${index}: import('kubernetes-types/${module}').${resource.kind} = ${JSON.stringify(resource)};`;
  });
  try {
    writeFileSync(join(directory, 'manifest.ts'), declarations.join('\n'));
    const options = '--ignoreConfig --noEmit --strict --module esnext --moduleResolution bundler'.split(' ');
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), [...options, join(directory, 'manifest.ts')], {
      encoding: 'utf8',
    });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('the manifest fits the types of Kubernetes, and has each kind that a cluster needs', () => {
  expect(compile(resources)).toBe('');
  expect(new Set(resources.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))).toEqual(
    new Set(Object.keys(MODULES)),
  );
});

test('the compiler finds a field that Kubernetes does not have, and a value of another type', () => {
  const misspelt = structuredClone(named('Deployment', 'badge-api'));
  misspelt.spec.template.spec.containers[0].readynessProbe = {};
  const wrong = structuredClone(named('PodDisruptionBudget', 'badge-api'));
  wrong.spec.maxUnavailable = true;
  const found = compile([misspelt, wrong]);
  expect(found).toContain('readynessProbe');
  expect(found).toContain("Type 'true' is not assignable");
});

test('every container is hardened and has limits, and no secret is an environment variable', () => {
  for (const pod of pods) {
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const { securityContext, resources: limits, env = [] } of containersOf(pod)) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(limits).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      expect(env.filter(({ valueFrom }) => valueFrom !== undefined)).toEqual([]);
    }
  }
});

test('the command that creates the secret gives it each file that the processes read', () => {
  const manifest = readFileSync(join(ROOT, 'deploy/kubernetes/badge.yaml'), 'utf8');
  const [command = ''] = /kubectl create secret(?:.*\\\n)+.*/.exec(manifest) ?? [];
  const keys = [...command.matchAll(/--from-(?:literal|file)=([\w-]+)/g)].map(([, key]) => key);
  const data = named('ConfigMap', 'badge').data ?? {};
  expect(data).toHaveProperty('BADGE_METRICS_KEY_FILE');
  const files = Object.values(data).flatMap((value) => /^\/secrets\/(.+)$/.exec(value)?.[1] ?? []);
  expect(files.sort()).toEqual(keys.sort());
});

test('each process waits for the Job of its release, and probes begin after that', () => {
  expect(ofKind('Job')).toHaveLength(1);
  const [job] = ofKind('Job');
  const migrate = job?.spec.template.spec.containers[0] as Container;
  const [, version = ''] = /^ghcr\.io\/[^:]+:(\d+\.\d+\.\d+)$/.exec(migrate.image ?? '') ?? [];
  expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toContain(`ARG VERSION=${version}\n`);
  expect(job?.metadata.name).toBe(`badge-migrate-${version.replaceAll('.', '-')}`);
  expect(migrate.args).toEqual(['migrate']);
  for (const container of pods.flatMap(containersOf)) expect(container.image).toBe(migrate.image);
  expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['badge-api', 'badge-worker']);
  for (const { spec } of deployments) {
    const { initContainers, containers } = spec.template.spec as Pod['spec'];
    expect(initContainers).toMatchObject([{ args: ['migrate', '--wait'], env: migrate.env }]);
    expect(containers).toMatchObject([
      {
        startupProbe: { httpGet: { path: '/healthz' } },
        livenessProbe: { httpGet: { path: '/healthz' } },
        readinessProbe: { httpGet: { path: '/readyz' } },
      },
    ]);
  }
});

test('each Deployment is spread, and loses one pod at a time; the number of API processes follows the load', () => {
  for (const { metadata, spec } of deployments) {
    const { matchLabels } = spec.selector;
    expect(spec.template.metadata.labels).toEqual(matchLabels);
    expect(spec.template.spec.topologySpreadConstraints).toMatchObject(
      ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
        topologyKey,
        labelSelector: { matchLabels },
      })),
    );
    const budget = named('PodDisruptionBudget', metadata.name);
    expect(budget.spec).toEqual({ maxUnavailable: 1, selector: { matchLabels } });
  }
  const scaler = named('HorizontalPodAutoscaler', 'badge-api').spec;
  expect(scaler).toMatchObject({ scaleTargetRef: { kind: 'Deployment', name: 'badge-api' }, minReplicas: 2 });
  // Otherwise each `kubectl apply` sets the number back.
  expect(named('Deployment', 'badge-api').spec).not.toHaveProperty('replicas');
  expect(named('Deployment', 'badge-worker').spec.replicas).toBe(2);
});

test('only the ingress controller connects to the API, Prometheus to every pod, and clients get no /metrics', () => {
  const [api, metrics, ...others] = ofKind('NetworkPolicy');
  expect(others).toEqual([]);
  expect(api?.spec).toMatchObject({
    podSelector: { matchLabels: { app: 'badge-api' } },
    policyTypes: ['Ingress'],
    ingress: [
      {
        from: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } },
            podSelector: { matchLabels: { 'app.kubernetes.io/name': 'ingress-nginx' } },
          },
        ],
      },
    ],
  });
  expect(metrics?.spec).toMatchObject({
    podSelector: {
      matchExpressions: [{ key: 'app', operator: 'In', values: expect.any(Array) }],
    },
    ingress: [{ from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } } }] }],
  });
  // A pod without a policy would accept everybody.
  const values: string[] = metrics?.spec.podSelector.matchExpressions[0].values;
  expect(values.sort()).toEqual(pods.map(({ metadata }) => metadata.labels.app).sort());
  for (const { spec } of ofKind('NetworkPolicy')) {
    for (const { from, ports } of spec.ingress) {
      expect(from).toHaveLength(1);
      expect(ports).toEqual([{ protocol: 'TCP', port: 'http' }]);
    }
  }
  const refusing = named('Ingress', 'badge-metrics');
  expect(refusing.metadata.annotations).toEqual({
    'nginx.ingress.kubernetes.io/whitelist-source-range': '127.0.0.1/32',
  });
  expect(refusing.spec.rules[0]).toMatchObject({
    host: named('Ingress', 'badge').spec.rules[0].host,
    http: { paths: [{ path: '/metrics', pathType: 'Prefix' }] },
  });
});
