// Starts the service once after an installation and stops it again: Node then keeps the stripped and compiled sources
// in its compile cache, and the first real start takes half the time and 30 MB less. Plain JavaScript, because it also
// runs where only an old Node is at hand; there it does nothing. npm runs the script `dependencies` of a checkout, and
// never that of a package which is installed.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const limitMs = 30_000
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 12)) {
  console.log('warm-up: left out, this Node is older than 24.12')
} else {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-warm-up-'))
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('ROLLBOOK_'))
  const child = spawn(process.execPath, [fileURLToPath(new URL('../bin/rollbook.js', import.meta.url))], {
    env: { ...Object.fromEntries(others), ROLLBOOK_PORT: '0', ROLLBOOK_DATA_DIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let stopping = false
  child.stdout.on('data', (chunk) => {
    output += chunk
    if (stopping || !output.includes('"msg":"listening"')) return
    stopping = true
    child.kill('SIGTERM')
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  child.on('exit', (code) => {
    clearTimeout(timer)
    rmSync(directory, { recursive: true, force: true })
    // An installation does not fail for this: the real start will say what is wrong, with the operator watching.
    if (code !== 0) console.error(`warm-up: the service did not start and stop (exit code ${code}):\n${output}`)
  })
}
