/**
 * Which file may import which: the rules of dependency-cruiser for `npm run check`, and of the drawing in CONTRIBUTING.md.
 * Imports of types count.
 */
import type { IConfiguration, IForbiddenRuleType } from 'dependency-cruiser'

/** The floors of src/, from top to bottom. */
export const floors: readonly { name: string; holds: string }[] = [
  { name: 'main.ts', holds: 'The executable: serves, or runs a command.' },
  { name: 'cli', holds: 'The command line: one file per command, loaded on demand.' },
  {
    name: 'moving-in',
    holds: 'What other systems export, and how it becomes users. Only the command line imports it.',
  },
  { name: 'app', holds: 'The composition root, the only place that knows every feature; start and stop.' },
  { name: 'operations', holds: 'Running it: metrics, the view of a deployment, the doctor, backup, restore, move.' },
  { name: 'scim', holds: 'The door for identity providers: filters, PATCH, schemas and bulk requests of SCIM 2.0.' },
  {
    name: 'access/pages',
    holds: 'What people and products meet: the sign-in page, links, /me, forward-auth, the gateway.',
  },
  {
    name: 'access/sign-in',
    holds: 'The steps of a sign-in, its throttling, company sign-in, links, the policy of factors.',
  },
  { name: 'access/providers', holds: 'Identity providers: connections, and what OIDC, SAML, LDAP and GitHub say.' },
  { name: 'access/credentials', holds: 'What proves a caller: sessions, keys, tokens, factors.' },
  {
    name: 'administration',
    holds: 'What administrators do with users: lists, groups, roles, imports, exports, bulk changes, deletion.',
  },
  { name: 'directory', holds: 'A user and what belongs to one: rules, passwords, attributes, links, organizations.' },
  { name: 'record', holds: 'What happened: journal, audit log, events, webhooks, revocations, statistics.' },
  { name: 'http', holds: 'The HTTP layer that all routes share; the docs page and the console.' },
  { name: 'store', holds: 'Transactions on SQLite and PostgreSQL, migrations, jobs, stored responses.' },
  { name: 'core', holds: 'Configuration, errors, permissions.' },
  { name: 'lib', holds: 'Small pure functions that know nothing of Rollbook.' },
]

const upward = floors.slice(1).map(({ name }, index): IForbiddenRuleType => {
  const above = floors.slice(0, index + 1).map((floor) => floor.name)
  return {
    name: `${name.replace('/', '-')}-imports-upward`,
    comment: `src/${name} is below ${above.join(', ')}. Move what both need down, or pass it in from src/app.`,
    severity: 'error',
    from: { path: `^src/${name}/` },
    to: { path: `^src/(${above.map((floor) => floor.replace('.', '[.]')).join('|')})(/|$)` },
  }
})

/** A folder of a feature: its floor, and its name. */
const featureRoom = '(access/[^/]+|directory|administration|record|operations)/([^/]+)/'

const configuration: IConfiguration = {
  forbidden: [
    ...upward,
    {
      name: 'no-cycle-of-files',
      comment: 'Two files that need each other are one file, or need a third one below them.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-cycle-of-folders',
      comment: 'Imports between folders go one way.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'doors-of-rooms',
      comment:
        'A room is entered by service.ts (what others may ask) and schema.ts (what clients see). Export what you need there.',
      severity: 'error',
      from: { path: `^src/${featureRoom}` },
      to: { path: `^src/${featureRoom}`, pathNot: ['^src/$1/$2/', `^src/${featureRoom}(service|schema)[.]ts$`] },
    },
    {
      name: 'doors-lead-inward',
      comment: 'service.ts is the list of what others may ask. The files of the room import each other directly.',
      severity: 'error',
      from: { path: `^src/${featureRoom}` },
      to: { path: '^src/$1/$2/service[.]ts$' },
    },
    {
      name: 'doors-of-rooms-for-other-floors',
      comment:
        'The command line, SCIM and the composition root enter a room by service.ts and schema.ts. Export what you need there.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${featureRoom}|app/generated/)` },
      to: { path: `^src/${featureRoom}`, pathNot: `^src/${featureRoom}(service|schema)[.]ts$` },
    },
    {
      name: 'doors-of-rooms-for-the-composition-root',
      comment: 'Rooms are put together from routes.ts, changes.ts, schema.ts and service.ts.',
      severity: 'error',
      from: { path: '^src/app/generated/' },
      to: { path: `^src/${featureRoom}`, pathNot: `^src/${featureRoom}(service|schema|routes|changes)[.]ts$` },
    },
    {
      name: 'shipped-libraries-stand-alone',
      comment: 'Programs and main APIs import src/sdk without the server.',
      severity: 'error',
      from: { path: '^src/sdk/' },
      to: { path: '^src/', pathNot: '^src/sdk/' },
    },
    {
      name: 'only-the-cli-uses-the-client',
      comment: 'The server does not call itself over HTTP. `rollbook/server` shares the rules of `rollbook/verify`.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(sdk|cli|app/embedded)/' },
      to: { path: '^src/sdk/' },
    },
    {
      name: 'console-pages-apart',
      comment: 'What two pages of the console share belongs to console/src/parts.',
      severity: 'error',
      from: { path: '^console/src/pages/([^/]+)/' },
      to: { path: '^console/src/pages/', pathNot: '^console/src/pages/$1/' },
    },
    {
      name: 'console-parts-below-pages',
      comment: 'Only the router and the frame around the pages import pages of the console.',
      severity: 'error',
      from: { path: '^console/src/[^/]+/', pathNot: '^console/src/(pages|shell)/' },
      to: { path: '^console/src/pages/' },
    },
    {
      name: 'console-data-knows-no-view',
      comment: 'Queries of the console see the client and what the address says.',
      severity: 'error',
      from: { path: '^console/src/data/' },
      to: { path: '^console/src/', pathNot: '^console/src/(data|api|lib)/' },
    },
    {
      name: 'no-floor-without-a-rule',
      comment: 'A new entry of src/ needs a place among the floors in scripts/import-rules.ts.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${floors.map(({ name }) => name).join('|')}|sdk)(/|$)` },
      to: {},
    },
  ],
  options: {
    // TypeScript 7 has no API for it yet.
    parser: 'swc',
    includeOnly: '^(src|console/src)/',
    exclude: { path: '[.]test[.]tsx?$' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx'] },
  },
}

export default configuration
