/** Writes the documents that are made from code; with --check it only says which of them are stale, for `npm run check`. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Setting, settings, subjects } from '../src/core/config.ts'
import { alertsMarkdown } from '../src/http/docs/alerts-page.ts'
import { problemsMarkdown } from '../src/http/docs/problems-page.ts'
import { clientTypes } from './client-types.ts'
import { consoleMembers } from './console-members.ts'
import { consoleOperations } from './console-operations.ts'
import { auditPage, rolesPage } from './docs-tables.ts'
import { floorsSvg } from './draw-floors.ts'
import { embeddedSettings } from './embedded-settings.ts'
import { featureLists } from './feature-lists.ts'
import { helpModule, manPage } from './man-page.ts'
import { migrationList } from './migration-list.ts'
import { openApiDigests } from './openapi-digests.ts'
import { guidePages, setupGuidePages } from './provider-guides.ts'

type Page = { path: string; render: () => string | Promise<string> }

export const pages: readonly Page[] = [
  { path: 'docs/configuration.md', render: renderConfiguration },
  { path: 'docs/problems.md', render: problemsMarkdown },
  { path: 'docs/alerts.md', render: alertsMarkdown },
  { path: 'docs/roles.md', render: rolesPage },
  { path: 'docs/audit.md', render: auditPage },
  ...guidePages,
  ...setupGuidePages,
  ...featureLists,
  { path: 'src/sdk/client/types.ts', render: clientTypes },
  { path: 'src/app/embedded/settings.ts', render: embeddedSettings },
  { path: 'src/store/db/migrations/all.ts', render: migrationList },
  { path: 'console/src/api-call/operations.ts', render: consoleOperations },
  { path: 'console/src/api/text-members.ts', render: consoleMembers },
  { path: 'src/cli/program/help-text.ts', render: helpModule },
  { path: 'man/rollbook.1', render: manPage },
  { path: 'docs/images/floors.svg', render: floorsSvg },
  { path: 'test/http/openapi-digests.txt', render: openApiDigests },
]

if (import.meta.main) {
  const stale: string[] = []
  for (const { path, render } of pages) {
    const file = new URL(`../${path}`, import.meta.url)
    const text = formatted(path, await render())
    if (text === read(file)) continue
    stale.push(path)
    if (!process.argv.includes('--check')) writeFileSync(file, text)
  }
  const verb = process.argv.includes('--check') ? 'is stale; run `npm run generate`' : 'written'
  for (const path of stale) console.log(`${path} ${verb}`)
  if (process.argv.includes('--check') && stale.length > 0) process.exitCode = 1
}

/** As `npm run format` would leave it, or the two would undo each other's work. */
export function formatted(path: string, text: string): string {
  if (!path.endsWith('.ts')) return text
  const biome = fileURLToPath(import.meta.resolve('@biomejs/biome/bin/biome'))
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], {
    input: text,
    encoding: 'utf8',
  })
}

function read(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function renderConfiguration(): string {
  const all = Object.values<Setting>(settings)
  const tables = Object.entries(subjects).map(([subject, its]) => {
    const rows = Object.values<Setting>(its).map(row)
    return [
      `### ${subject}`,
      '',
      '| Setting | Default | Accepts | When to set it |',
      '|---|---|---|---|',
      ...rows,
    ].join('\n')
  })
  const secrets = all.filter(({ secret }) => secret).map(({ name }) => `\`${name}_FILE\``)

  return `<!-- Made from src/core/settings/ by \`npm run generate\`; change it there. -->

# Configuration

Rollbook starts without any configuration: on \`http://127.0.0.1:8080/auth\`, with its data in \`./data\`. Every setting
below has a default that suits most installations; the last column says when to choose another.

\`\`\`sh
ROLLBOOK_PORT=9000 ROLLBOOK_PRODUCT_NAME='Orchard' npm start
\`\`\`

## Where settings come from

Rollbook uses the first of these sources that has the setting:

1. the environment;
2. for a secret, the file named by \`<setting>_FILE\` in the environment;
3. the file named by \`ROLLBOOK_CONFIG_FILE\`, if that is set; \`<setting>_FILE\` works there too;
4. the default.

An empty value counts as not set. Settings are read once, at the start.

An invalid value, a misspelt name or an unreadable file stops the start, and all faults are reported together. Values are
never shown, because one of them could be a secret in the wrong place:

\`\`\`
The configuration has 2 faults:
  - ROLLBOOK_LOGLEVEL is not a setting. Did you mean ROLLBOOK_LOG_LEVEL?
  - ROLLBOOK_PORT must be a whole number from 0 to 65535.
\`\`\`

## Settings

${tables.join('\n\n')}

## Secrets from files

${secrets.join(', ')} names a file that holds the secret, as Docker, Kubernetes and systemd provide them. One newline at
its end is not part of the secret. Setting both the secret and its file in one place is a fault, and so is an empty file.

\`\`\`sh
ROLLBOOK_ADMIN_KEY_FILE=/run/secrets/rollbook-admin-key npm start
\`\`\`

## A configuration file

Lines of \`NAME=value\`, comments after \`#\`, quotes around values that contain \`#\` or line breaks. Names that do not begin
with \`ROLLBOOK_\` are ignored, so other programs can use the same file.

\`\`\`sh
# rollbook.env, used with ROLLBOOK_CONFIG_FILE=./rollbook.env
ROLLBOOK_HOST=0.0.0.0
ROLLBOOK_PUBLIC_URL=https://orchard.example.com/auth
ROLLBOOK_DATA_DIR=/var/lib/rollbook
ROLLBOOK_ADMIN_KEY_FILE=/run/secrets/rollbook-admin-key
ROLLBOOK_ROLES='{
  "support": ["users:read"],
  "operator": ["users:read", "users:write", "orders:write"]
}'
\`\`\`

## Roles

\`ROLLBOOK_ROLES\` adds roles to \`admin\` and \`user\`, which always exist: [Your own roles](roles.md#your-own-roles).

## Kubernetes

For a Service named \`rollbook\`, Kubernetes sets variables such as \`ROLLBOOK_SERVICE_HOST\` and
\`ROLLBOOK_PORT=tcp://10.0.0.7:8080\` in every container of the namespace. Rollbook recognizes and ignores them.
`
}

function row({ name, default: fallback, kind, secret, why }: Setting): string {
  const accepts = secret ? `${kind.expected}; secret` : kind.expected
  return `| \`${name}\` | ${fallback === undefined ? 'none' : `\`${fallback}\``} | ${accepts} | ${why} |`
}
