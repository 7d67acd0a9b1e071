/** `npm run bench`: runs the command of that name, or else measures the parts. See README.md. */
import { join } from 'node:path'
import { root, run } from './processes.ts'

const commands: Record<string, () => Promise<unknown>> = {
  guard: () => import('./guard.ts'),
  growth: () => import('./growth.ts'),
  peers: () => import('./peers.ts'),
}

// What people run after `npm ci`.
await run([process.execPath, join(root, 'scripts/build-server.ts'), '--if-stale'])

const [name = ''] = process.argv.slice(2)
await (Object.hasOwn(commands, name) ? commands[name]?.() : import('./measure.ts'))
