/** Tables inside pages of docs/ that are made from code. The rest of such a page is written by hand. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { builtInPermissions } from '../src/core/permissions.ts'

const root = new URL('..', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** Reads a file of the console by its name, wherever its room is. */
function readOfConsole(name: string): string {
  const [path, ...others] = globSync(`console/src/**/${name}`, { cwd: fileURLToPath(root) })
  if (path === undefined || others.length > 0) throw new Error(`There must be one ${name} in console/src.`)
  return read(path)
}

/** The page for a permission, or for its subject (what stands before the colon). */
const pages: Record<string, string> = {
  'users:import': 'migrate.md',
  'users:export_hashes': 'export.md',
  'users:impersonate': 'impersonation.md',
  users: 'users.md',
  groups: 'groups.md',
  organizations: 'organizations.md',
  provisioning: 'provisioning.md',
  scim: 'provisioning.md',
  connections: 'sign-in-company.md',
  attributes: 'attributes.md',
  roles: 'roles.md',
  policies: 'second-factors.md',
  inactivity: 'inactivity.md',
  sessions: 'sessions.md',
  keys: 'api-keys.md',
  tokens: 'verify-any-language.md',
  signing_keys: 'signing-keys.md',
  webhooks: 'webhooks.md',
  events: 'follow-changes.md',
  mails: 'email.md',
  branding: 'branding.md',
  configuration: 'configuration-as-code.md',
  audit: 'audit.md',
  reviews: 'reviews.md',
  metrics: 'metrics.md',
}

/** Returns docs/roles.md with the permissions of src/core/permissions.ts, in the words of the console. */
export function rolesPage(): string {
  const texts = new Map(
    [...readOfConsole('permission-texts.tsx').matchAll(/'([a-z_]+:[a-z_]+)': t`([^`$]+)`/g)].map(
      ([, permission, text]) => [permission, text],
    ),
  )
  const rows = builtInPermissions.map((permission) => {
    const text = texts.get(permission)
    const page = pages[permission] ?? pages[permission.split(':')[0] ?? '']
    if (text === undefined || page === undefined) throw new Error(`${permission} needs a text and a page.`)
    const title = /^# (.+)$/m.exec(read(`docs/${page}`))?.[1]
    return `| \`${permission}\` | ${text} | [${title}](${page}) |`
  })
  return withTable('docs/roles.md', [
    '| Permission | What it allows | Page |',
    '|---|---|---|',
    ...rows,
    '| `*` | Everything, including permissions of later releases and your own | |',
  ])
}

/** Returns docs/audit.md with the actions that are recorded: those that have words in the console, where a test compares them. */
export function auditPage(): string {
  const source = readOfConsole('action-words.ts')
  const words = [...source.matchAll(/'([a-z_]+)\.([a-z_]+)': msg`/g)]
  const nouns = Map.groupBy(words, ([, noun = '']) => noun)
  const rows = [...nouns].map(([noun, actions]) => {
    return `| \`${noun}\` | ${actions.map(([, , verb]) => `\`${verb}\``).join(', ')} |`
  })
  return withTable('docs/audit.md', ['| Noun | Actions |', '|---|---|', ...rows])
}

/** Replaces what stands between the two comments that mark the table. */
function withTable(path: string, lines: readonly string[]): string {
  const marked = /(<!-- Made from code by `npm run generate`. -->\n\n)[\s\S]*?(\n\n<!-- End of the table. -->)/
  const page = read(path)
  if (!marked.test(page)) throw new Error(`${path} lacks the comments that mark its table.`)
  return page.replace(marked, (_, start: string, end: string) => `${start}${lines.join('\n')}${end}`)
}
