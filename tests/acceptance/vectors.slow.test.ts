import { testVectors } from './test-vectors.ts';

testVectors('production');
