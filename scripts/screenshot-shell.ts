/** Takes the documentation's picture of the command line, from what it really prints: `node scripts/screenshot-shell.ts`. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { serve } from '../src/app/serve.ts'
import { loadConfig } from '../src/core/config.ts'
import { launchBrowser } from '../test/browser.ts'

const root = join(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'rollbook-screenshot-'))
const key = 'the-key-of-the-picture-0123456789abcdef'
const config = loadConfig({ ROLLBOOK_DATA_DIR: directory, ROLLBOOK_PORT: '0', ROLLBOOK_ADMIN_KEY: key })
const running = await serve(config, pino({ enabled: false }), (error) => {
  throw error
})
const browser = await launchBrowser()

const staff = `username,first_name,last_name,email,role
ada,Ada,Lovelace,ada@example.com,admin
grace,Grace,Hopper,grace@example.com,user
lise,Lise,Meitner,lise@example.com,user
emmy,Emmy,Noether,ada@example.com,user
`

/** Runs in another process than the server, which therefore must not wait for it. */
async function run(line: string): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1', ROLLBOOK_URL: running.url, ROLLBOOK_API_KEY: key }
  const [, ...args] = line.split(' ')
  const child = spawn(process.execPath, [join(root, 'bin/rollbook.js'), ...args], { env, cwd: directory })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece))
  await new Promise((resolve) => child.once('close', resolve))
  return text
}

try {
  if (browser === undefined) throw new Error('The picture needs a Chromium.')
  writeFileSync(join(directory, 'staff.csv'), staff)
  const lines = [
    'rollbook users import staff.csv --output ndjson --columns created,rejected',
    'rollbook users list',
    'rollbook users update grace --role admin --columns username,role,updated_at',
    'rollbook audit list --limit 3',
  ]
  const screens: string[] = []
  for (const line of lines) screens.push(`$ ${line}`, (await run(line)).trimEnd(), '')
  const page = await browser.newPage({ viewport: { width: 1210, height: 100 } })
  const escaped = screens.join('\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const marked = escaped.replaceAll(/^\$ .*$/gm, (line) => `<b>${line}</b>`)
  await page.setContent(`<body style="margin: 0; background: #15202b; color: #d5dee6; font: 15px/1.45 monospace">
    <style>b { color: #7fd1ae; font-weight: 600 }</style><pre style="margin: 0; padding: 22px 26px; font: inherit">${marked}</pre>`)
  writeFileSync(join(root, 'docs/images/command-line.png'), await page.screenshot({ fullPage: true }))
} finally {
  await browser?.close()
  await running.stop('the picture is taken')
  rmSync(directory, { recursive: true, force: true })
}
