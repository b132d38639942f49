export default {
  badge: {
    input: 'generated/openapi.json',
    output: {
      target: 'generated/orval.ts',
      client: 'fetch',
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
};
