import type { Design } from './draw-design.ts';
import type { Shape } from './shapes.ts';

const CIRCLE: Shape = { kind: 'circle' };
const HEXAGON: Shape = { kind: 'polygon', sides: 6, rotation: 0, rounding: 0.05 };
const OCTAGON: Shape = { kind: 'polygon', sides: 8, rotation: 1 / 16, rounding: 0.02 };
const SQUIRCLE: Shape = { kind: 'squircle', exponent: 4 };
const SHIELD: Shape = { kind: 'shield' };

const GOLD = ['#fff6d6', '#f7c948', '#b7791f', '#fde68a', '#d69e2e', '#8a5a12'];
const SILVER = ['#ffffff', '#cbd5e1', '#7c8aa0', '#f1f5f9', '#a3b1c6', '#5b6b84'];
const ROSE = ['#fff1f5', '#f9a8c9', '#b8547f', '#ffd9e8', '#e07ba8', '#8a3560'];
const ICE = ['#f0fdff', '#8be9f7', '#2a8fae', '#d3fbff', '#5cc9e0', '#1d6a86'];

/** The headline area of the designs whose field is a circle. */
const IN_CIRCLE = { x: 240, y: 316, width: 520, height: 392 };

/** The built-in designs, in the order in which they are listed. */
export const BUILT_IN_DESIGNS: readonly Design[] = [
  {
    id: 'defaultOrangeRed',
    name: 'Orange red',
    textColor: '#ffffff',
    headlineArea: IN_CIRCLE,
    backdrop: {
      colors: ['#ffb347', '#ff6a2b', '#d7263d'],
      motif: { kind: 'rays', count: 24 },
      ink: 'rgba(255, 236, 179, 0.2)',
    },
    rim: {
      shape: { kind: 'star', points: 30, depth: 0.065, rounding: 0.009 },
      radius: 446,
      plate: '#5c0f12',
      metal: GOLD,
      beads: 60,
      beadRadius: 6,
    },
    field: {
      shape: CIRCLE,
      radius: 366,
      colors: ['#c23a12', '#a31f1a', '#7a0f1f'],
      shade: 'rgba(60, 0, 10, 0.16)',
      motif: { kind: 'rays', count: 12 },
      ink: 'rgba(255, 150, 80, 0.08)',
    },
    emblem: { name: 'sun', shape: CIRCLE, scale: 1, sparkColor: '#fbd46d' },
  },
  {
    id: 'defaultGreenPurple',
    name: 'Green purple',
    textColor: '#ffffff',
    headlineArea: { x: 220, y: 322, width: 560, height: 380 },
    backdrop: {
      colors: ['#34e0a1', '#1c8f8f', '#4c1d95'],
      motif: { kind: 'nested', shape: HEXAGON, step: 64, lineWidth: 18 },
      ink: 'rgba(209, 255, 233, 0.2)',
    },
    rim: {
      shape: HEXAGON,
      radius: 470,
      plate: '#2a0f57',
      metal: ['#e6fff4', '#5eead4', '#0f9f78', '#b8ffe0', '#34d399', '#0b6b53'],
      beads: 60,
      beadRadius: 5,
    },
    field: {
      shape: HEXAGON,
      radius: 398,
      colors: ['#6d28d9', '#4c1d95', '#2e1065'],
      shade: 'rgba(20, 0, 50, 0.18)',
      motif: { kind: 'nested', shape: HEXAGON, step: 57, lineWidth: 2 },
      ink: 'rgba(110, 231, 183, 0.1)',
    },
    emblem: { name: 'gem', shape: HEXAGON, scale: 0.94, sparkColor: '#6ee7b7' },
  },
  {
    id: 'defaultBlueGreen',
    name: 'Blue green',
    textColor: '#ffffff',
    headlineArea: IN_CIRCLE,
    backdrop: {
      colors: ['#2563eb', '#0e8fb3', '#10b981'],
      motif: { kind: 'waves', count: 7, amplitude: 30, length: 460 },
      ink: 'rgba(4, 40, 90, 0.14)',
    },
    rim: {
      shape: { kind: 'star', points: 48, depth: 0.036, rounding: 0.006 },
      radius: 444,
      plate: '#06283d',
      metal: SILVER,
      beads: 90,
      beadRadius: 4,
    },
    field: {
      shape: CIRCLE,
      radius: 370,
      colors: ['#0b5c8f', '#0a4a72', '#06604f'],
      shade: 'rgba(0, 20, 40, 0.16)',
      motif: { kind: 'guilloche', strands: 3, waves: 20, radius: 345, amplitude: 13, lineWidth: 2 },
      ink: 'rgba(125, 249, 215, 0.45)',
    },
    emblem: { name: 'drop', shape: CIRCLE, scale: 0.94, sparkColor: '#d8e2ee' },
  },
  {
    id: 'defaultPinkIndigo',
    name: 'Pink indigo',
    textColor: '#ffffff',
    headlineArea: IN_CIRCLE,
    backdrop: {
      colors: ['#ff8fc7', '#c44bd0', '#3730a3'],
      motif: { kind: 'petals', count: 12, radius: 380 },
      ink: 'rgba(255, 255, 255, 0.05)',
    },
    rim: {
      shape: { kind: 'lobes', count: 12, depth: 0.14 },
      radius: 458,
      plate: '#2a1a6b',
      metal: ROSE,
      beads: 48,
      beadRadius: 6,
    },
    field: {
      shape: CIRCLE,
      radius: 362,
      colors: ['#4f3cc9', '#3a2a9e', '#241a6e'],
      shade: 'rgba(15, 5, 60, 0.18)',
      motif: { kind: 'petals', count: 12, radius: 250 },
      ink: 'rgba(255, 150, 220, 0.025)',
    },
    emblem: { name: 'spark', shape: CIRCLE, scale: 1, sparkColor: '#ffb3d4' },
  },
  {
    id: 'defaultGoldBlack',
    name: 'Gold black',
    textColor: '#fdf3d0',
    headlineArea: { x: 225, y: 292, width: 550, height: 424 },
    backdrop: {
      colors: ['#2b2b31', '#17171b', '#0a0a0c'],
      motif: { kind: 'scales', radius: 96, rings: 3, lineWidth: 3 },
      ink: 'rgba(233, 190, 90, 0.5)',
    },
    rim: { shape: OCTAGON, radius: 460, plate: '#0b0b0d', metal: GOLD, beads: 64, beadRadius: 5 },
    field: {
      shape: OCTAGON,
      radius: 388,
      colors: ['#2d2d33', '#1b1b20', '#101013'],
      shade: 'rgba(0, 0, 0, 0.25)',
      motif: { kind: 'nested', shape: OCTAGON, step: 46, lineWidth: 1.5 },
      ink: 'rgba(233, 190, 90, 0.09)',
    },
    emblem: { name: 'crown', shape: OCTAGON, scale: 0.94, sparkColor: '#f0c45c' },
  },
  {
    id: 'defaultCyanViolet',
    name: 'Cyan violet',
    textColor: '#ffffff',
    headlineArea: { x: 190, y: 264, width: 620, height: 460 },
    backdrop: {
      colors: ['#22d3ee', '#5b5bd6', '#7e22ce'],
      motif: { kind: 'orbits', count: 9, roundness: 0.34, lineWidth: 3 },
      ink: 'rgba(255, 255, 255, 0.3)',
    },
    rim: { shape: SQUIRCLE, radius: 418, plate: '#1e1046', metal: ICE, beads: 88, beadRadius: 4.5 },
    field: {
      shape: SQUIRCLE,
      radius: 356,
      colors: ['#3b2a8c', '#34157a', '#4a0f7a'],
      shade: 'rgba(15, 0, 40, 0.18)',
      motif: { kind: 'orbits', count: 7, roundness: 0.24, lineWidth: 2 },
      ink: 'rgba(103, 232, 249, 0.12)',
    },
    emblem: { name: 'planet', shape: SQUIRCLE, scale: 0.96, sparkColor: '#8be9f7' },
  },
  {
    id: 'defaultSilverNavy',
    name: 'Silver navy',
    textColor: '#10214a',
    headlineArea: { x: 210, y: 256, width: 580, height: 420 },
    backdrop: {
      colors: ['#2f4f9e', '#1b2f6b', '#0b1638'],
      motif: { kind: 'chevrons', step: 92, slope: 0.55 },
      ink: 'rgba(148, 180, 255, 0.12)',
    },
    rim: { shape: SHIELD, radius: 454, plate: '#0d1b44', metal: SILVER, beads: 76, beadRadius: 4.5 },
    field: {
      shape: SHIELD,
      radius: 388,
      colors: ['#ffffff', '#eef2f8', '#cfd9e8'],
      shade: 'rgba(60, 80, 130, 0.1)',
      motif: { kind: 'chevrons', step: 46, slope: 0.55 },
      ink: 'rgba(40, 70, 150, 0.04)',
    },
    emblem: { name: 'star', shape: CIRCLE, scale: 1, sparkColor: '#2f4f9e' },
  },
  {
    id: 'defaultYellowTeal',
    name: 'Yellow teal',
    textColor: '#ffffff',
    headlineArea: IN_CIRCLE,
    backdrop: {
      colors: ['#ffe066', '#ffc93c', '#ffb020'],
      motif: { kind: 'halftone', step: 62 },
      ink: '#12a093',
    },
    rim: {
      shape: { kind: 'star', points: 12, depth: 0.12, rounding: 0.03 },
      radius: 480,
      plate: '#043b40',
      metal: ['#fff9d8', '#ffe066', '#f0a500', '#fff1a8', '#ffc93c', '#c67f00'],
      beads: 36,
      beadRadius: 7,
    },
    field: {
      shape: CIRCLE,
      radius: 366,
      colors: ['#0c7f7f', '#08666b', '#064e59'],
      shade: 'rgba(0, 30, 40, 0.18)',
      motif: { kind: 'guilloche', strands: 2, waves: 18, radius: 343, amplitude: 12, lineWidth: 2.5 },
      ink: 'rgba(255, 224, 102, 0.4)',
    },
    emblem: { name: 'bolt', shape: CIRCLE, scale: 0.9, sparkColor: '#ffd84d' },
  },
];
