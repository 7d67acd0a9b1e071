/**
 * Draws the floors of src/ and the imports between the rooms of each, for CONTRIBUTING.md. The imports are read from the
 * code, by the tool that checks them.
 */
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import configuration, { floors } from './import-rules.ts'

type Room = { name: string; x: number; y: number; width: number }
type Imports = ReadonlyMap<string, ReadonlySet<string>>

const [width, left, rowHeight, boxHeight, letter] = [1080, 300, 46, 26, 7.4]

export async function floorsSvg(): Promise<string> {
  const imports = importsOfRooms(await readImports())
  const names = [...imports.keys()]
  let top = 8
  const parts: string[] = []
  const boxes = [...floors, { name: 'sdk', holds: 'Shipped libraries that stand alone: client and verify.' }]
  for (const { name, holds } of boxes) {
    const rooms = placed(
      names.filter((room) => room.startsWith(`${name}/`)),
      imports,
      top,
    )
    const height = Math.max(58, Math.max(0, ...rooms.map(({ y }) => y - top)) + boxHeight + 16)
    if (name === 'sdk') top += 10
    parts.push(
      floor({
        name,
        holds,
        top,
        height,
        rooms: rooms.map((room) => ({ ...room, y: room.y + (name === 'sdk' ? 10 : 0) })),
        imports,
      }),
    )
    top += height + 6
  }
  return svg(top, parts)
}

async function readImports(): Promise<ICruiseResult> {
  const { output } = await cruise(['src'], configuration.options)
  if (typeof output === 'string') throw new Error('Expected the modules, not a report of them.')
  return output
}

/** Returns the rooms (`directory/users`) and what each imports of its own floor. */
function importsOfRooms({ modules }: ICruiseResult): Imports {
  const imports = new Map<string, Set<string>>()
  for (const { source, dependencies } of modules) {
    const from = roomOf(source)
    if (from === undefined) continue
    const targets = imports.get(from) ?? new Set()
    imports.set(from, targets)
    for (const { resolved } of dependencies) {
      const to = roomOf(resolved)
      if (to !== undefined && to !== from && floorOf(to) === floorOf(from)) targets.add(to)
    }
  }
  return new Map([...imports].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function roomOf(path: string): string | undefined {
  return /^src\/((?:access\/)?[^/]+\/[^/]+)\//.exec(path)?.[1]
}

function floorOf(room: string): string {
  return room.slice(0, room.lastIndexOf('/'))
}

/** Puts each room below all rooms that import it. */
function placed(names: readonly string[], imports: Imports, top: number): Room[] {
  const rank = new Map<string, number>()
  const rankOf = (name: string): number => {
    const known = rank.get(name)
    if (known !== undefined) return known
    const above = names.filter((other) => imports.get(other)?.has(name))
    const own = Math.max(0, ...above.map((other) => rankOf(other) + 1))
    rank.set(name, own)
    return own
  }
  const rows = Map.groupBy(names, rankOf)
  return [...rows].flatMap(([row, members]) => {
    const widths = members.map((name) => labelOf(name).length * letter + 20)
    const gap = Math.min(40, (width - left - 24 - sum(widths)) / Math.max(1, members.length))
    let x = left + 12 + (width - left - 24 - sum(widths) - gap * (members.length - 1)) / 2
    return members.map((name, index) => {
      const room = { name, x, y: top + 12 + row * rowHeight, width: widths[index] ?? 0 }
      x += room.width + gap
      return room
    })
  })
}

function floor(parts: {
  name: string
  holds: string
  top: number
  height: number
  rooms: Room[]
  imports: Imports
}): string {
  const { name, holds, top, height, rooms, imports } = parts
  const text = wrapped(holds).map(
    (line, index) => `<text class="holds" x="24" y="${top + 38 + index * 15}">${line}</text>`,
  )
  return [
    `<rect class="floor" x="8" y="${top}" width="${width - 16}" height="${height}" rx="8"/>`,
    `<text class="name" x="24" y="${top + 21}">${name}</text>`,
    ...text,
    ...rooms.flatMap((from) =>
      directImports(from.name, imports).flatMap((to) =>
        arrow(
          from,
          rooms.find((room) => room.name === to),
        ),
      ),
    ),
    ...rooms.map(
      ({ name: room, x, y, width: w }) =>
        `<rect class="room" x="${x.toFixed(1)}" y="${y}" width="${w.toFixed(1)}" height="${boxHeight}" rx="5"/>` +
        `<text class="label" x="${(x + w / 2).toFixed(1)}" y="${y + 17}">${labelOf(room)}</text>`,
    ),
  ].join('\n')
}

/** Leaves out the imports that follow from others, so that the drawing stays readable. */
function directImports(name: string, imports: Imports): string[] {
  const targets = [...(imports.get(name) ?? [])]
  const reaches = (from: string, to: string): boolean =>
    [...(imports.get(from) ?? [])].some((next) => next === to || reaches(next, to))
  return targets.filter((to) => !targets.some((other) => other !== to && reaches(other, to)))
}

function arrow(from: Room, to: Room | undefined): string[] {
  if (to === undefined) return []
  const [x1, y1, x2, y2] = [from.x + from.width / 2, from.y + boxHeight, to.x + to.width / 2, to.y - 2]
  return [
    `<line class="import" x1="${x1.toFixed(1)}" y1="${y1}" x2="${x2.toFixed(1)}" y2="${y2}" marker-end="url(#end)"/>`,
  ]
}

function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length < 42) lines[lines.length - 1] = `${last} ${word}`.trim()
    else lines.push(word)
  }
  return lines
}

function labelOf(room: string): string {
  return room.slice(room.lastIndexOf('/') + 1)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

function svg(height: number, parts: readonly string[]): string {
  return `<!-- Made from scripts/import-rules.ts and the imports of src/ by \`npm run generate\`. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + 2}" role="img" aria-label="The floors of src/ and the imports between their rooms">
<style>
text { font-family: system-ui, sans-serif; fill: #1f2328 }
.name { font-size: 15px; font-weight: 600 }
.holds { font-size: 11.5px; fill: #59636e }
.label { font-size: 12px; text-anchor: middle }
.floor { fill: #f6f8fa; stroke: #d1d9e0 }
.room { fill: #ffffff; stroke: #818b98 }
.import { stroke: #818b98; stroke-width: 1 }
#end path { fill: #818b98 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .holds { fill: #9198a1 }
  .floor { fill: #151b23; stroke: #3d444d }
  .room { fill: #0d1117; stroke: #656c76 }
}
</style>
<marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>
${parts.join('\n')}
</svg>
`
}
