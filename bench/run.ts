/** `npm run bench`: runs the command of that name, or else measures the parts. See README.md. */
const commands: Record<string, () => Promise<unknown>> = {
  guard: () => import('./guard.ts'),
  growth: () => import('./growth.ts'),
  peers: () => import('./peers.ts'),
}

const [name = ''] = process.argv.slice(2)
await (Object.hasOwn(commands, name) ? commands[name]?.() : import('./measure.ts'))
