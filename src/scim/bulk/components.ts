/**
 * Returns the strongly connected components of a graph, each after its dependencies, with the nodes of each in
 * order (Tarjan). Not recursive, because the client decides how deep the graph is.
 */
export function componentsInOrder(dependencies: readonly ReadonlySet<number>[]): number[][] {
  const components: number[][] = []
  const found = new Map<number, number>()
  const lowest = new Map<number, number>()
  const open: number[] = []
  const isOpen = new Set<number>()
  const lower = (node: number, to: number) => lowest.set(node, Math.min(lowest.get(node) ?? to, to))
  const enter = (node: number) => {
    found.set(node, found.size)
    lower(node, found.size - 1)
    open.push(node)
    isOpen.add(node)
    return { node, rest: (dependencies[node] ?? new Set<number>()).values() }
  }
  for (const start of dependencies.keys()) {
    if (found.has(start)) continue
    const path = [enter(start)]
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const { value: next, done } = last.rest.next()
      if (!done) {
        if (!found.has(next)) path.push(enter(next))
        else if (isOpen.has(next)) lower(last.node, found.get(next) as number)
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above !== undefined) lower(above.node, lowest.get(last.node) as number)
      if (lowest.get(last.node) !== found.get(last.node)) continue
      const component = open.splice(open.lastIndexOf(last.node))
      for (const node of component) isOpen.delete(node)
      components.push(component.sort((a, b) => a - b))
    }
  }
  return components
}
