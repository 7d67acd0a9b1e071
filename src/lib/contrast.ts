/** Contrast of colours (WCAG 2.2), and the nearest colour with enough of it: the same hue in OKLCH (CSS Color 4 §9.2), darker or lighter. */

/** Each from 0 to 1. */
type Rgb = readonly [number, number, number]
type Lch = { lightness: number; chroma: number; hue: number }

/** WCAG 2.2, 1.4.3 Contrast (Minimum), for text of normal size. */
export const leastContrast = 4.5

/** Returns the contrast ratio of two colours such as `#1f5fbf`, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The least contrast of a colour with any of the grounds. */
export function contrastOn(grounds: readonly string[], colour: string): number {
  return Math.min(...grounds.map((ground) => contrast(ground, colour)))
}

const steps = 512

/** Returns the colour itself if its contrast with every ground is enough; else the nearest lightness of its hue that has enough. */
export function readableOn(grounds: readonly string[], colour: string): string {
  if (contrastOn(grounds, colour) >= leastContrast) return colour
  const { lightness, ...rest } = toLch(parse(colour))
  for (let step = 1; step <= steps; step++) {
    for (const away of [-step / steps, step / steps]) {
      const tried = toHex(inGamut({ ...rest, lightness: Math.min(1, Math.max(0, lightness + away)) }))
      if (contrastOn(grounds, tried) >= leastContrast) return tried
    }
  }
  throw new Error('No colour can be read on all of these grounds.')
}

/** The same hue, darker or lighter by a part of the whole range. */
export function shaded(colour: string, by: number): string {
  const { lightness, ...rest } = toLch(parse(colour))
  return toHex(inGamut({ ...rest, lightness: Math.min(1, Math.max(0, lightness + by)) }))
}

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red, green, blue] = parse(colour).map(linear) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function parse(colour: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255) as unknown as Rgb
}

function toHex(rgb: Rgb): string {
  return `#${rgb
    .map((part) =>
      Math.round(Math.min(1, Math.max(0, part)) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
const gamma = (part: number) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)

function toLch(rgb: Rgb): Lch {
  const [red, green, blue] = rgb.map(linear) as unknown as Rgb
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short
  const b = 0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short
  return {
    lightness: 0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  }
}

function toRgb({ lightness, chroma, hue }: Lch): Rgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    gamma(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
    gamma(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
    gamma(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short),
  ]
}

/** Screens have no colour for every lightness of a chroma: takes as much of the chroma as there is. */
function inGamut(wanted: Lch): Rgb {
  const isShown = (rgb: Rgb) => rgb.every((part) => part >= -0.0005 && part <= 1.0005)
  if (isShown(toRgb(wanted))) return toRgb(wanted)
  let [least, most] = [0, wanted.chroma]
  for (let round = 0; round < 16; round++) {
    const chroma = (least + most) / 2
    if (isShown(toRgb({ ...wanted, chroma }))) least = chroma
    else most = chroma
  }
  return toRgb({ ...wanted, chroma: least })
}
