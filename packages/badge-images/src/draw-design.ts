import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { drawMotif, type Motif } from './motifs.ts';
import { EMBLEMS, type EmblemName, outlinePath, outlinePoints, type Shape } from './shapes.ts';
import { DESIGN_SIZE } from './sizes.ts';

/**
 * A built-in design as data. From back to front, it has a backdrop (the whole image), a metal rim with a
 * ring of beads, a field behind the headline, sparks, and an emblem above the headline.
 */
export interface Design {
  readonly id: string;
  readonly name: string;
  readonly textColor: string;
  readonly headlineArea: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
  readonly backdrop: {
    readonly colors: readonly string[];
    readonly motif: Motif;
    /** The colour of the motif. */
    readonly ink: string;
  };
  readonly rim: {
    readonly shape: Shape;
    readonly radius: number;
    /** The colour behind the metal. */
    readonly plate: string;
    /** The colours of the metal's gradient. */
    readonly metal: readonly string[];
    readonly beads: number;
    readonly beadRadius: number;
  };
  readonly field: {
    readonly shape: Shape;
    readonly radius: number;
    readonly colors: readonly string[];
    /** The colour that darkens the field towards its edge. */
    readonly shade: string;
    readonly motif: Motif;
    readonly ink: string;
  };
  readonly emblem: {
    readonly name: EmblemName;
    readonly shape: Shape;
    readonly scale: number;
    /** The colour of the sparks below the headline. */
    readonly sparkColor: string;
  };
}

// The rim and the field are centred a little below the middle of the image, because the emblem is above them.
const CENTRE_Y = 512;
const EMBLEM_Y = 96;
const SPARKS_Y = 766;
const EMBLEM_RADIUS = 80;

type Gradient = ReturnType<SKRSContext2D['createLinearGradient']>;

function withColors(gradient: Gradient, colors: readonly string[]): Gradient {
  for (const [i, color] of colors.entries()) gradient.addColorStop(i / (colors.length - 1), color);
  return gradient;
}

function diagonalGradient(context: SKRSContext2D, colors: readonly string[], reach: number): Gradient {
  return withColors(context.createLinearGradient(-reach, -reach, reach, reach), colors);
}

// For large areas. Rows of one colour compress well. A diagonal gradient would make the PNG ten times as
// large.
function verticalGradient(context: SKRSContext2D, colors: readonly string[], reach: number): Gradient {
  return withColors(context.createLinearGradient(0, -reach, 0, reach), colors);
}

function drawBackdrop(context: SKRSContext2D, { backdrop }: Design): void {
  context.fillStyle = verticalGradient(context, backdrop.colors, DESIGN_SIZE / 2);
  context.fillRect(-DESIGN_SIZE / 2, -CENTRE_Y, DESIGN_SIZE, DESIGN_SIZE);
  drawMotif(context, backdrop.motif, backdrop.ink);
}

function drawRim(context: SKRSContext2D, { rim }: Design): void {
  context.save();
  context.shadowColor = 'rgba(0, 0, 0, 0.5)';
  context.shadowBlur = 20;
  context.shadowOffsetY = 16;
  context.fillStyle = rim.plate;
  context.fill(outlinePath(rim.shape, rim.radius + 14));
  context.restore();

  context.fillStyle = diagonalGradient(context, rim.metal, rim.radius * 0.8);
  context.fill(outlinePath(rim.shape, rim.radius));
  context.lineWidth = 3;
  context.strokeStyle = 'rgba(255, 255, 255, 0.55)';
  context.stroke(outlinePath(rim.shape, rim.radius - 4));
}

/** Draws the ring of beads between the rim and the field. */
function drawBeadRing(context: SKRSContext2D, { rim, field }: Design): void {
  context.fillStyle = rim.plate;
  context.fill(outlinePath(field.shape, field.radius + 34));
  context.fillStyle = diagonalGradient(context, rim.metal, rim.radius * 0.8);
  for (const [x, y] of outlinePoints(field.shape, field.radius + 20, rim.beads)) {
    context.beginPath();
    context.arc(x, y, rim.beadRadius, 0, 2 * Math.PI);
    context.fill();
  }
  context.fillStyle = diagonalGradient(context, rim.metal.toReversed(), rim.radius * 0.8);
  context.fill(outlinePath(field.shape, field.radius + 7));
}

function drawField(context: SKRSContext2D, { field }: Design): void {
  const path = outlinePath(field.shape, field.radius);
  context.save();
  context.clip(path);
  context.fillStyle = verticalGradient(context, field.colors, field.radius);
  context.fill(path);
  drawMotif(context, field.motif, field.ink);
  context.strokeStyle = field.shade;
  for (const width of [16, 40]) {
    context.lineWidth = width;
    context.stroke(path);
  }
  context.restore();
}

function drawEmblem(context: SKRSContext2D, { rim, emblem }: Design): void {
  context.save();
  context.translate(0, EMBLEM_Y - CENTRE_Y);
  const metal = diagonalGradient(context, rim.metal, EMBLEM_RADIUS * 0.8);
  context.save();
  context.shadowColor = 'rgba(0, 0, 0, 0.45)';
  context.shadowBlur = 16;
  context.shadowOffsetY = 8;
  context.fillStyle = metal;
  context.fill(outlinePath(emblem.shape, EMBLEM_RADIUS));
  context.restore();
  context.fillStyle = rim.plate;
  context.fill(outlinePath(emblem.shape, EMBLEM_RADIUS - 9));
  context.lineWidth = 2;
  context.strokeStyle = metal;
  context.stroke(outlinePath(emblem.shape, EMBLEM_RADIUS - 16));
  context.scale(emblem.scale, emblem.scale);
  context.fillStyle = metal;
  context.fill(new Path2D(EMBLEMS[emblem.name]));
  context.restore();
}

/** Draws the three sparks below the headline. */
function drawSparks(context: SKRSContext2D, { emblem }: Design): void {
  const spark = new Path2D(EMBLEMS.spark);
  context.fillStyle = emblem.sparkColor;
  for (const x of [-62, 0, 62]) {
    const scale = x === 0 ? 0.62 : 0.42;
    context.save();
    context.translate(x, SPARKS_Y - CENTRE_Y);
    context.scale(scale, scale);
    context.fill(spark);
    context.restore();
  }
}

/** Draws a built-in design without a headline. Its top left corner is at the context's origin. */
export function drawDesign(context: SKRSContext2D, design: Design): void {
  context.save();
  context.translate(DESIGN_SIZE / 2, CENTRE_Y);
  drawBackdrop(context, design);
  drawRim(context, design);
  drawBeadRing(context, design);
  drawField(context, design);
  drawSparks(context, design);
  drawEmblem(context, design);
  context.restore();
}
