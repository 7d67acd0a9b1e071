/**
 * Builds an SVG anew from the shapes, paths, gradients, clips and masks of another (SVG 2). Elements, attributes and values that are not
 * in the lists below are left out; of style sheets only what their classes say about colours and lines. What a renderer would
 * have to repeat too often is refused, and so is whatever two parsers could read differently.
 */
import { html } from '../../../../lib/html.ts'
import { attributesIn, XmlFault, xmlReader } from '../../../../lib/xml-tokens.ts'
import { LogoFault, malformed, refuseStrip } from './fault.ts'

export type CleanSvg = {
  text: string
  /** In units of its own: only their ratio matters. */
  width: number
  height: number
  /** The names of elements and attributes that were left out and may have been visible. */
  leftOut: string[]
}

type Element = { name: string; attributes: Map<string, string>; children: Element[] }

const deepest = 32
const mostElements = 5000
/** What a renderer draws, with everything that is repeated by `use`, clips and masks. */
const mostDrawn = 20_000

const shapes = new Set(['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'])
const gradients = ['linearGradient', 'radialGradient']
const drawn = new Set([...shapes, 'g', 'use'])
const elements = new Set([...drawn, 'defs', ...gradients, 'stop', 'clipPath', 'mask'])
/** Not visible themselves. */
const invisible = new Set(['title', 'desc', 'metadata', 'namedview', 'style'])

const number = String.raw`[+-]?(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})(?:[eE][+-]?\d{1,3})?`
const form = (source: string, flags = '') => new RegExp(`^(?:${source})$`, flags)
const length = form(`${number}(?:px|%|mm|cm|in|pt|pc)?`)
const ratio = form(`${number}%?`)
const path = form(String.raw`[MmZzLlHhVvCcSsQqTtAa0-9eE+\-.,\s]*`)
const points = form(String.raw`[0-9eE+\-.,\s]*`)
const transform = form(String.raw`[\s,]*(?:(?:matrix|translate|scale|rotate|skewX|skewY)\s*\([0-9eE+\-.,\s]*\)[\s,]*)*`)
const colour = form(String.raw`[a-z]{3,20}|#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([0-9a-z.,%\s/]{1,48}\)`, 'i')
const units = form('userSpaceOnUse|objectBoundingBox')
const reference = /^url\(\s*(['"]?)#([^'"()\s]{1,64})\1\s*\)$/
const idForm = /^[A-Za-z_][\w.-]{0,63}$/

const geometry = 'x y width height rx ry cx cy r fx fy fr x1 y1 x2 y2'.split(' ')
/** Also allowed as declarations of a style, because programs for drawing write them there. */
const presentation: Readonly<Record<string, RegExp>> = {
  fill: colour,
  stroke: colour,
  color: colour,
  'stop-color': colour,
  'fill-opacity': ratio,
  'stroke-opacity': ratio,
  'stop-opacity': ratio,
  opacity: ratio,
  'fill-rule': form('nonzero|evenodd'),
  'clip-rule': form('nonzero|evenodd'),
  'stroke-width': length,
  'stroke-linecap': form('butt|round|square'),
  'stroke-linejoin': form('miter|round|bevel'),
  'stroke-miterlimit': form(number),
  display: form('none|inline|block'),
  visibility: form('visible|hidden'),
}
const forms: Readonly<Record<string, RegExp>> = {
  ...presentation,
  ...Object.fromEntries(geometry.map((name) => [name, length])),
  d: path,
  points,
  transform,
  gradientTransform: transform,
  gradientUnits: units,
  clipPathUnits: units,
  maskUnits: units,
  maskContentUnits: units,
  spreadMethod: form('pad|reflect|repeat'),
  offset: ratio,
}
/** What may be referred to, by the attribute that does. */
const targets: Readonly<Record<string, ReadonlySet<string>>> = {
  fill: new Set(gradients),
  stroke: new Set(gradients),
  'clip-path': new Set(['clipPath']),
  mask: new Set(['mask']),
}
/** Left out without a word: they show nothing, or belong to the program that wrote the file. */
const unseenAttribute =
  /^(?:xmlns|version|class|id|style|role|baseProfile|enable-background|preserveAspectRatio|overflow|(?:data|aria|font|text|-inkscape)-.*|.*:.*)$/

/** @throws LogoFault */
export function cleanSvg(source: string): CleanSvg {
  const left = new Set<string>()
  const { root, sheet } = parse(source, left)
  const box = boxOf(root)
  const classes = classesIn(sheet, left)
  const cleaned = clean(root, { classes, left, ids: new Set() })
  const byId = withIds(cleaned)
  dropUnresolved(cleaned, byId, left)
  refuseCostly(cleaned, byId)
  if (!draws(cleaned))
    throw new LogoFault('logo_empty', 'The SVG has no shapes. Convert texts to paths, and pictures to PNG.')
  const [, , width, height] = box
  const size = { viewBox: box.join(' '), width: String(width), height: String(height) }
  refuseStrip({ width, height })
  const attributes = new Map([
    ...Object.entries({ xmlns: 'http://www.w3.org/2000/svg', ...size }),
    ...cleaned.attributes,
  ])
  return { text: written({ ...cleaned, attributes }), width, height, leftOut: [...left].sort() }
}

/** Declares neither entities nor anything else: programs for drawing wrote these for years. */
const knownDoctype =
  /<!DOCTYPE\s+svg\s+PUBLIC\s+"-\/\/W3C\/\/DTD SVG [0-9.]{3,9}(?: (?:Basic|Tiny))?\/\/EN"\s+"https?:\/\/www\.w3\.org\/[\w./-]{1,80}"\s*>/

function parse(source: string, left: Set<string>): { root: Element; sheet: string } {
  const open: Element[] = []
  let root: Element | undefined
  let count = 0
  /** The element that is left out with everything in it. */
  let skipped: { name: string; depth: number } | undefined
  let sheet = ''
  const reader = xmlReader({
    open(name, text) {
      count++
      if (count > mostElements)
        throw new LogoFault('logo_too_costly', `The SVG has more than ${mostElements} elements.`)
      if (open.length >= deepest)
        throw new LogoFault('logo_too_costly', `The SVG has elements nested deeper than ${deepest}.`)
      const element: Element = { name, attributes: attributesIn(text), children: [] }
      const parent = open.at(-1)
      if (parent === undefined) {
        if (root !== undefined) throw malformed('The SVG has two roots.')
        if (name !== 'svg') throw malformed('The file is not an SVG.')
        root = element
      } else if (skipped === undefined && elements.has(name)) {
        parent.children.push(element)
      } else if (skipped === undefined) {
        skipped = { name, depth: open.length }
        if (!invisible.has(name)) left.add(name)
      }
      open.push(element)
    },
    close(name) {
      if (open.pop()?.name !== name) throw malformed('A tag of the SVG is closed that is not open.')
      if (skipped?.depth === open.length) skipped = undefined
    },
    text(text) {
      if (open.length === 0 && text.trim() !== '') throw malformed('There is text outside of the SVG.')
      if (open.at(-1)?.name === 'style') sheet += text
    },
  })
  try {
    reader.write(source.replace(/^\ufeff/, '').replace(knownDoctype, ''))
    reader.end()
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error
    throw malformed('The SVG is not well-formed XML, or has a DOCTYPE or entities.')
  }
  if (root === undefined || open.length > 0) throw malformed('The SVG is cut off.')
  return { root, sheet }
}

const pixels: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  pt: 96 / 72,
  pc: 16,
}

function boxOf({ attributes }: Element): [number, number, number, number] {
  const side = (name: string) => {
    const [, value, unit = ''] =
      new RegExp(`^\\s*(${number})(px|in|cm|mm|pt|pc)?\\s*$`).exec(attributes.get(name) ?? '') ?? []
    return value === undefined ? 0 : Number(value) * (pixels[unit] ?? 0)
  }
  const viewBox = attributes.get('viewBox')
  const numbers = viewBox
    ?.trim()
    .split(/[\s,]+/)
    .map(Number) ?? [0, 0, side('width'), side('height')]
  const [x = Number.NaN, y = Number.NaN, width = 0, height = 0] = numbers.map((one) => Number(one.toFixed(4)))
  const isSized = numbers.length === 4 && width > 0 && height > 0
  if (!isSized || ![x, y, width, height].every((one) => Math.abs(one) <= 1e6)) {
    throw malformed('The SVG has no viewBox, and no width and height in pixels.')
  }
  return [x, y, width, height]
}

type Declarations = Map<string, string>

/** The rules of a sheet that are about classes alone. */
function classesIn(sheet: string, left: Set<string>): Map<string, Declarations> {
  const classes = new Map<string, Declarations>()
  for (const rule of withoutComments(sheet).split('}')) {
    const at = rule.indexOf('{')
    if (at < 0) continue
    for (const selector of rule.slice(0, at).split(',')) {
      const [, name] = /^\s*\.([A-Za-z_][\w-]{0,63})\s*$/.exec(selector) ?? []
      if (name === undefined) left.add('style')
      else classes.set(name, new Map([...(classes.get(name) ?? []), ...declarationsIn(rule.slice(at + 1), left)]))
    }
  }
  return classes
}

function withoutComments(sheet: string): string {
  return sheet
    .split('/*')
    .map((part, i) => (i === 0 ? part : part.slice(part.includes('*/') ? part.indexOf('*/') + 2 : part.length)))
    .join(' ')
}

function declarationsIn(text: string, left: Set<string>): Declarations {
  const found: Declarations = new Map()
  for (const declaration of text.split(';')) {
    const at = declaration.indexOf(':')
    if (at < 0) continue
    const name = declaration.slice(0, at).trim().toLowerCase()
    const value = declaration
      .slice(at + 1)
      .replace('!important', '')
      .trim()
    if (Object.hasOwn(presentation, name) || Object.hasOwn(targets, name)) found.set(name, value)
    else if (!unseenAttribute.test(name)) left.add('style')
  }
  return found
}

type Cleaning = { classes: ReadonlyMap<string, Declarations>; left: Set<string>; ids: Set<string> }

function clean({ name, attributes, children }: Element, cleaning: Cleaning): Element {
  const isRoot = name === 'svg'
  const cleaned = new Map<string, string>()
  const id = attributes.get('id')
  if (!isRoot && id !== undefined && idForm.test(id)) {
    if (cleaning.ids.has(id)) throw malformed('Two elements of the SVG have the same id.')
    cleaning.ids.add(id)
    cleaned.set('id', id)
  }
  const href = attributes.get('href') ?? attributes.get('xlink:href')
  if (href !== undefined && (name === 'use' || gradients.includes(name)) && /^#[^\s#]{1,64}$/.test(href))
    cleaned.set('href', href)
  else if (href !== undefined) cleaning.left.add('href')
  const styled = [
    ...(attributes.get('class') ?? '').split(/\s+/).flatMap((one) => [...(cleaning.classes.get(one) ?? [])]),
    ...declarationsIn(attributes.get('style') ?? '', cleaning.left),
  ]
  for (const [member, value] of [...attributes, ...styled]) {
    if (member === 'href' || (isRoot && ['viewBox', ...geometry].includes(member))) continue
    const usable = usableValue(member, value)
    if (usable !== undefined) cleaned.set(member, usable)
    else if (!unseenAttribute.test(member)) cleaning.left.add(member)
  }
  return { name, attributes: cleaned, children: children.map((child) => clean(child, cleaning)) }
}

function usableValue(member: string, typed: string): string | undefined {
  const value = typed.trim().replaceAll(/\s+/g, ' ')
  const [, , id] = (Object.hasOwn(targets, member) && reference.exec(value)) || []
  if (id !== undefined) return idForm.test(id) ? `url(#${id})` : undefined
  return Object.hasOwn(forms, member) && forms[member]?.test(value) ? value : undefined
}

function withIds(root: Element, found = new Map<string, Element>()): Map<string, Element> {
  const id = root.attributes.get('id')
  if (id !== undefined) found.set(id, root)
  for (const child of root.children) withIds(child, found)
  return found
}

/** Drops references that lead nowhere, or to something that they cannot draw. */
function dropUnresolved(element: Element, byId: ReadonlyMap<string, Element>, left: Set<string>): void {
  for (const [member, value] of element.attributes) {
    const id = idIn(member, value)
    if (id === undefined) continue
    const target = byId.get(id)?.name ?? ''
    const fits =
      member === 'href'
        ? element.name === 'use'
          ? drawn.has(target)
          : gradients.includes(target)
        : targets[member]?.has(target)
    if (fits) continue
    element.attributes.delete(member)
    left.add(member)
  }
  element.children = element.children.filter(({ name, attributes }) => name !== 'use' || hasTarget(attributes, byId))
  for (const child of element.children) dropUnresolved(child, byId, left)
}

function hasTarget(attributes: ReadonlyMap<string, string>, byId: ReadonlyMap<string, Element>): boolean {
  return drawn.has(byId.get(attributes.get('href')?.slice(1) ?? '')?.name ?? '')
}

function idIn(member: string, value: string): string | undefined {
  if (member === 'href') return value.slice(1)
  return Object.hasOwn(targets, member) && value.startsWith('url(#') ? value.slice(5, -1) : undefined
}

/** @throws LogoFault if references make a circle, or a few elements very many */
function refuseCostly(root: Element, byId: ReadonlyMap<string, Element>): void {
  const costs = new Map<Element, number>()
  const costly = () => new LogoFault('logo_too_costly', 'The SVG repeats its parts too often.')
  function costOf(element: Element, path: ReadonlySet<Element>): number {
    const known = costs.get(element)
    if (known !== undefined) return known
    if (path.has(element)) throw malformed('A part of the SVG refers to itself.')
    if (path.size > 4 * deepest) throw costly()
    const within = new Set(path).add(element)
    const ids = [...element.attributes].map(([member, value]) => idIn(member, value))
    const referred = ids.flatMap((id) => byId.get(id ?? '') ?? [])
    const cost = [...element.children, ...referred].reduce((sum, one) => sum + costOf(one, within), 1)
    if (cost > mostDrawn) throw costly()
    costs.set(element, cost)
    return cost
  }
  costOf(root, new Set())
}

function draws({ name, children }: Element): boolean {
  if (shapes.has(name) || name === 'use') return true
  return (name === 'svg' || name === 'g') && children.some(draws)
}

function written({ name, attributes, children }: Element): string {
  const all = [...attributes].map(([member, value]) => html` ${member}="${value}"`.text).join('')
  if (children.length === 0) return `<${name}${all}/>`
  return `<${name}${all}>${children.map(written).join('')}</${name}>`
}
