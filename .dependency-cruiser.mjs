/**
 * The floors of the house, from top to bottom. A file may import from its own floor and from those below it, types
 * included; `npm run check` fails otherwise. CONTRIBUTING.md says what is on each floor.
 */
const floors = ['main.ts', 'cli', 'app', 'operations', 'access', 'directory', 'record', 'http', 'store', 'core', 'lib']

const upward = floors.slice(1).map((floor, index) => ({
  name: `${floor}-imports-upward`,
  comment: `src/${floor} lies below ${floors.slice(0, index + 1).join(', ')}. Move what both need down, or pass it in.`,
  severity: 'error',
  from: { path: `^src/${floor}/` },
  to: {
    path: `^src/(${floors
      .slice(0, index + 1)
      .join('|')
      .replace('.', '\\.')})(/|$)`,
  },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...upward,
    {
      name: 'no-cycle-of-files',
      comment: 'Two files that need each other are one file, or need a third below them.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-cycle-of-folders',
      comment: 'Between folders, imports go one way.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'shipped-libraries-stand-alone',
      comment: 'Programs and main APIs import src/sdk without the server.',
      severity: 'error',
      from: { path: '^src/sdk/' },
      to: { pathNot: '^src/sdk/' },
    },
    {
      name: 'only-the-cli-uses-the-client',
      comment: 'The server does not call itself over HTTP.',
      severity: 'error',
      from: { pathNot: '^src/(sdk|cli)/' },
      to: { path: '^src/sdk/' },
    },
    {
      name: 'own-store-only',
      comment: 'A feature asks the service of another feature, not its tables.',
      severity: 'error',
      from: { path: '^src/(access|directory|record|operations)/([^/]+)/' },
      to: { path: '^src/(access|directory|record|operations)/.*/[a-z-]*store[a-z-]*[.]ts$', pathNot: '^src/$1/$2/' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    includeOnly: '^src/',
    exclude: { path: '\\.test\\.ts$' },
    enhancedResolveOptions: { extensions: ['.ts'] },
  },
}
