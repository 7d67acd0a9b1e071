import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { adminKey, anyEngine, start } from './harness.ts'

const root = join(import.meta.dirname, '..')
const engine = anyEngine
const documents = globSync(['*.md', '{bench,deploy,docs,examples,src}/**/*.md'], { cwd: root }).sort()

const skip = spawnSync('curl', ['--version']).error !== undefined && 'there is no curl'

/** The pages whose commands are run as a reader would. */
const tried = [
  'README.md',
  'docs/quick-start.md',
  'docs/users.md',
  'docs/attributes.md',
  'docs/groups.md',
  'docs/organizations.md',
  'docs/lists.md',
  'docs/bulk-changes.md',
  'docs/api-keys.md',
  'docs/sessions.md',
  'docs/roles.md',
  'docs/impersonation.md',
  'docs/provisioning.md',
  'docs/provisioning-okta.md',
  'docs/provisioning-entra.md',
  'docs/provisioning-google.md',
  'docs/provisioning-keycloak.md',
  'docs/signing-keys.md',
  'docs/verify-any-language.md',
  'docs/verify.md',
  'docs/webhooks.md',
  'docs/follow-changes.md',
  'docs/delete-and-erase.md',
  'docs/migrate/http.md',
  'docs/migrate/password-hashes.md',
]

describe('the documentation', () => {
  for (const document of documents) {
    it(`leads somewhere with every link: ${document}`, () => {
      const dead = linksIn(read(document)).filter((link) => !isAlive(document, link))
      assert.deepEqual(dead, [])
    })
  }

  it('begins each item of a list and each paragraph on a line of its own', () => {
    const merged = documents.flatMap((document) =>
      proseOf(read(document))
        .split('\n')
        .filter((line) => !line.includes('|') && /[.;:)] - [A-Z`]|[.:`] {2}(\*\*|\[?[A-Z`])/.test(line))
        .map((line) => `${document}: ${line}`),
    )
    assert.deepEqual(merged, [])
  })

  it('ends each row of a table, surrounds tables with empty lines, and keeps sentences out of headings', () => {
    const faults = documents.flatMap((document) => {
      const lines = proseOf(read(document)).split('\n')
      const isRow = (line = '') => line.startsWith('|')
      return lines
        .map((line, i) => {
          const beside = [lines[i - 1] ?? '', lines[i + 1] ?? ''].filter((other) => other !== '')
          if (isRow(line) && (!/\|$/.test(line) || !beside.every(isRow))) return `a broken table: ${line}`
          const isHeading = /^#{1,6} /.test(line)
          const hasSentence = / {2}|[.:]$|^.{100}/.test(line) || Boolean(lines[i + 1])
          return isHeading && hasSentence ? `text in a heading: ${line}` : undefined
        })
        .filter((fault) => fault !== undefined)
        .map((fault) => `${document}: ${fault}`)
    })
    assert.deepEqual(faults, [])
  })

  it('has no page that the index does not lead to', () => {
    const found = new Set<string>()
    const follow = (document: string) => {
      if (found.has(document)) return
      found.add(document)
      const pages = linksIn(read(document)).filter((link) => /^[^#]+\.md(#|$)/.test(link))
      for (const page of pages) follow(join(dirname(document), page.split('#')[0] ?? ''))
    }
    follow('docs/README.md')
    const pages = documents.filter(
      (document) => document.startsWith('docs/') && !document.startsWith('docs/decisions/'),
    )
    assert.deepEqual(
      pages.filter((page) => !found.has(page)),
      [],
    )
  })

  it('has every page that the code and its messages name', () => {
    const named = globSync(
      [
        'src/**/*.{ts,tsx}',
        'console/src/**/*.{ts,tsx}',
        'examples/*.{ts,md}',
        'deploy/**/*.{md,yaml,yml,conf,service,sh}',
      ],
      {
        cwd: root,
      },
    ).flatMap((file) => [...read(file).matchAll(/\bdocs\/[a-z0-9/-]+\.md\b/g)].map(([page]) => `${file}: ${page}`))
    assert.ok(named.length > 10)
    assert.deepEqual(
      named.filter((name) => !existsSync(join(root, name.split(': ')[1] ?? ''))),
      [],
    )
  })

  // So that the pages can be read and tried in any order, on one server.
  it('creates secrets with Node.js, as the messages of the code do, and needs no other program for them', () => {
    const sources = globSync(['{src,deploy,examples,console/src}/**/*.{ts,tsx,js,yaml,service,conf,sh}'], { cwd: root })
    const lines = [...documents, ...sources].flatMap((file) =>
      read(file)
        .split('\n')
        .filter((line) => /openssl rand|node -p "crypto/.test(line))
        .map((line) => `${file}: ${line}`),
    )
    const others = lines.filter((line) => !/node -p "crypto\.randomBytes\((24|32)\)\.toString\('hex'\)"/.test(line))
    assert.deepEqual(others, [])
    const { stdout } = spawnSync(process.execPath, ['-p', "crypto.randomBytes(32).toString('hex')"], {
      encoding: 'utf8',
    })
    assert.match(stdout, /^[0-9a-f]{64}\n$/)
  })

  it('uses each example user on one page only', () => {
    const pages = documents.filter((document) => !document.startsWith('docs/decisions/'))
    const users = pages.map(
      (page) => new Set([...commandsIn(read(page)).matchAll(exampleUser)].map(([, name]) => name)),
    )
    const shared = pages.flatMap((page, i) =>
      [...(users[i] ?? [])]
        .filter((name) => users.some((others, k) => k !== i && others.has(name)))
        .map((name) => `${page}: ${name}`),
    )
    assert.ok(users.some((names) => names.size > 1))
    assert.deepEqual(shared, [])
  })

  for (const document of tried) {
    it(`shows what its commands really return: ${document}`, { skip }, async (t) => {
      const examples = await runExamples(await listen(t), document)
      assert.ok(examples.length > 0)
      for (const { command, shownOutput: shown, response: answer } of examples) {
        if (shown !== undefined) assert.deepEqual(comparable(answer), comparable(shown), command)
      }
    })
  }

  it('can be followed in any order, on one server', { skip }, async (t) => {
    const place = await listen(t)
    for (const document of tried.toReversed()) {
      const answers = (await runExamples(place, document)).map(({ response: answer }) => answer)
      const codes = [...answers.join('\n').matchAll(/"code": ?"([a-z_]+)"/g)].map(([, code = '']) => code)
      const unexpected = codes.filter((code) => !read(document).includes(`"code": "${code}"`))
      assert.deepEqual(unexpected, [], document)
    }
  })
})

type Place = { directory: string; base: string }

/** Starts Rollbook as the quick start does, with its key in data/admin-key. */
async function listen(t: TestContext): Promise<Place> {
  const app = await start(t, engine)
  const base = await app.listen()
  mkdirSync(join(app.directory, 'data'))
  writeFileSync(join(app.directory, 'data/admin-key'), `${adminKey}\n`)
  return { directory: app.directory, base }
}

/** Runs the commands of a page in one shell. Returns each with its output. */
async function runExamples({ directory, base }: Place, document: string): Promise<(Example & { response: string })[]> {
  const examples = examplesIn(read(document).replaceAll('http://127.0.0.1:8080/auth', base))
  const script = examples.map(({ command }) => `${command}\nprintf '\\0'\n`).join('')
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', script], {
    cwd: directory,
    env: { ...process.env, KEY: adminKey, API: base },
  })
  const answers = stdout.split('\0').slice(0, -1)
  assert.equal(answers.length, examples.length)
  return examples.map((example, i) => ({ ...example, response: answers[i] ?? '' }))
}

function read(document: string): string {
  return readFileSync(join(root, document), 'utf8')
}

/** The text without blocks of code. */
function proseOf(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, '')
}

/** The targets of links and pictures, other than in code and to other servers. */
function linksIn(markdown: string): string[] {
  const prose = proseOf(markdown).replaceAll(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(
    ([, link, image]) => (link ?? image) as string,
  )
  return targets.filter((target) => !/^https?:/.test(target))
}

function isAlive(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? join(root, document) : join(root, dirname(document), path)
  if (relative(root, file).startsWith('..') || !existsSync(file)) return false
  if (anchor === undefined) return true
  return statSync(file).isFile() && anchorsIn(readFileSync(file, 'utf8')).includes(anchor)
}

/** What headings are called in links: lower case, without punctuation, with hyphens for spaces. */
function anchorsIn(markdown: string): string[] {
  const headings = proseOf(markdown).matchAll(/^#+ (.*)$/gm)
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Where a command names a user: a JSON member, a parameter, or the command that creates one. */
const exampleUser =
  /(?:"username": ?"|username: '|[?&]username=|users create |createuser(?: --[a-z]+)* |admin reset )([a-z][a-z0-9._-]*)/g

/** The commands and programs that a reader pastes. */
function commandsIn(markdown: string): string {
  return [...markdown.matchAll(/^```(?:sh|ts)\n([\s\S]*?)^```$/gm)].map(([, text]) => text).join('\n')
}

type Example = { command: string; shownOutput?: string }

/** Blocks of these languages are no output. */
const programs = ['js', 'ts', 'python']

/** The commands that talk to the service, each with the answer that is shown after it. */
function examplesIn(markdown: string): Example[] {
  const examples: Example[] = []
  let last: Example | undefined
  for (const [, language, text = ''] of markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (language === 'sh') {
      last = /^(curl|export) /.test(text) ? { command: text } : undefined
      if (last) examples.push(last)
    } else if (last) {
      if (!programs.includes(language ?? '')) last.shownOutput = text
      last = undefined
    }
  }
  return examples
}

/** What differs from run to run is hidden; JSON is compared as what it says, whatever its spaces. */
function comparable(text: string): unknown {
  const steady = text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'an id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'an instant')
    .replaceAll(/rb_[0-9A-Za-z]+…?/g, 'a key')
    .replaceAll(/whsec_[0-9A-Za-z+/]+[=…]/g, 'a secret')
    .replaceAll(/rollbook-verification=[\w-]+/g, 'a proof')
    .replaceAll('\r\n', '\n')
    .trim()
  return /^[[{]/.test(steady) ? JSON.parse(steady) : steady.split('\n')
}
