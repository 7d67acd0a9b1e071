/**
 * `node bench/profile.ts file.cpuprofile …`: where the time of each profile went, by package or file and by function.
 * Native code (SQLite, writing to sockets) counts for the JavaScript that called it.
 */
import { readFileSync } from 'node:fs'

type Node = { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] }

const shown = 15

for (const file of process.argv.slice(2)) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const byPlace = new Map<string, number>()
  const byFunction = new Map<string, number>()
  let total = 0
  samples.forEach((id, i) => {
    let node = byId.get(id) as Node
    if (node.callFrame.functionName === '(idle)') return
    const time = timeDeltas[i] ?? 0
    total += time
    add(
      byFunction,
      `${node.callFrame.functionName || '(anonymous)'}  ${placeOf(node)}:${node.callFrame.lineNumber + 1}`,
      time,
    )
    while (node.callFrame.url === '' && parents.has(node.id)) node = parents.get(node.id) as Node
    add(byPlace, packageOf(node), time)
  })
  console.log(`${file}: ${(total / 1e6).toFixed(1)} s`)
  for (const table of [byPlace, byFunction]) {
    console.log()
    for (const [name, time] of [...table].sort(([, a], [, b]) => b - a).slice(0, shown)) {
      console.log(`  ${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}`)
    }
  }
}

function add(table: Map<string, number>, name: string, time: number): void {
  table.set(name, (table.get(name) ?? 0) + time)
}

function placeOf({ callFrame }: Node): string {
  return callFrame.url.replace(/^file:\/\//, '').replace(/^.*\/(?=(?:node_modules|src|bench)\/)/, '')
}

function packageOf(node: Node): string {
  const place = placeOf(node)
  return /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(place)?.[0] ?? (place || node.callFrame.functionName)
}
