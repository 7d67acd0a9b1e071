import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SourceName, SourceOptions } from '../../src/moving-in/formats/index.ts'

/** A file as its source writes it, and what is to become of it. */
export type GoldenFile = {
  source: SourceName
  input: string
  /** Names the two files with what is expected: `<expected>.rows.ndjson` and `<expected>.left-out.ndjson`. */
  expected: string
  options?: Partial<Omit<SourceOptions, 'passwords' | 'now'>> & { passwords?: string }
  /** Username in Rollbook → password in the source. */
  passwords: Readonly<Record<string, string>>
  /** The same of users who are not active, and are let in by none. */
  inactivePasswords?: Readonly<Record<string, string>>
}

const keycloakPasswords = {
  ada: 'note g, bernoulli numbers',
  charles: 'difference engine no. 2',
  'alan@example.com': 'computable numbers 1936',
}
const auth0Passwords = { ada: 'sketch of the engine' }
const supabasePasswords = { 'ada@example.com': 'poetical science, 1844' }
const kratosPasswords = {
  ada: 'countess of computing',
  'alan@example.com': 'bombe at bletchley',
  'grace@example.com': 'flow-matic manual',
}
const firebasePasswords = { 'ada@example.com': 'analytical engine 1843' }
const djangoPasswords = {
  ada: 'enchantress of numbers',
  Charles: 'royal society minutes',
  alan: 'on computable numbers',
}

export const goldenFiles: readonly GoldenFile[] = [
  {
    source: 'keycloak',
    input: 'realm.json',
    expected: 'realm',
    options: { roleMap: { 'realm-admin': 'admin', employee: 'user' } },
    passwords: keycloakPasswords,
    inactivePasswords: { grace: 'nanoseconds of wire' },
  },
  {
    source: 'keycloak',
    input: 'directory',
    expected: 'directory',
    options: { keepIds: true },
    passwords: keycloakPasswords,
    inactivePasswords: { grace: 'nanoseconds of wire' },
  },
  {
    source: 'auth0',
    input: 'users.ndjson',
    expected: 'users',
    options: { passwords: 'password-hashes.ndjson', roleMap: { admin: 'admin' } },
    passwords: auth0Passwords,
    inactivePasswords: { 'charles@example.com': 'passages from the life' },
  },
  {
    source: 'auth0',
    input: 'extension.json',
    expected: 'extension',
    options: { unverifiedEmails: 'leave-out' },
    passwords: {},
  },
  {
    source: 'auth0',
    input: 'bulk-import.json',
    expected: 'bulk-import',
    options: { roleMap: { admin: 'admin' } },
    passwords: {
      'ada@example.com': 'sketch of the engine',
      'charles@example.com': 'difference engine',
      'grace@example.com': 'nanoseconds of wire',
      'alan@example.com': 'computable numbers',
      'mary@example.com': 'flow-matic manual',
      'joan@example.com': 'cowcatchers',
      dorothy: 'sketch of the engine',
    },
  },
  {
    source: 'supabase',
    input: 'users.csv',
    expected: 'users',
    passwords: supabasePasswords,
    inactivePasswords: { 'charles@example.com': 'mechanical notation' },
  },
  {
    source: 'supabase',
    input: 'copy.sql',
    expected: 'dump',
    passwords: supabasePasswords,
    inactivePasswords: { 'charles@example.com': 'mechanical notation' },
  },
  {
    source: 'supabase',
    input: 'rows.json',
    expected: 'users',
    passwords: supabasePasswords,
    inactivePasswords: { 'charles@example.com': 'mechanical notation' },
  },
  {
    source: 'supabase',
    input: 'inserts.sql',
    expected: 'dump',
    passwords: supabasePasswords,
    inactivePasswords: { 'charles@example.com': 'mechanical notation' },
  },
  {
    source: 'kratos',
    input: 'identities.json',
    expected: 'identities',
    options: { keepIds: true },
    passwords: kratosPasswords,
    inactivePasswords: { 'charles@example.com': 'cowcatchers and punch cards' },
  },
  {
    source: 'kratos',
    input: 'admin-api.json',
    expected: 'admin-api',
    passwords: kratosPasswords,
    inactivePasswords: { 'charles@example.com': 'cowcatchers and punch cards' },
  },
  {
    source: 'firebase',
    input: 'users.json',
    expected: 'users',
    options: { hashConfig: 'hash-config.txt', roleMap: { admin: 'admin' } },
    passwords: firebasePasswords,
    inactivePasswords: { 'charles@example.com': 'table of logarithms' },
  },
  {
    source: 'firebase',
    input: 'users.csv',
    expected: 'users',
    options: { hashConfig: 'hash-config.txt', roleMap: { admin: 'admin' } },
    passwords: firebasePasswords,
    inactivePasswords: { 'charles@example.com': 'table of logarithms' },
  },
  {
    source: 'django',
    input: 'auth_user.csv',
    expected: 'auth_user',
    options: { roleMap: { is_superuser: 'admin' } },
    passwords: djangoPasswords,
    inactivePasswords: { 'grace@example.com': 'a compiler is possible' },
  },
  {
    source: 'django',
    input: 'dumpdata.json',
    expected: 'dumpdata',
    passwords: djangoPasswords,
    inactivePasswords: { 'grace@example.com': 'a compiler is possible' },
  },
  {
    source: 'authentik',
    input: 'users.ndjson',
    expected: 'users',
    options: { keepIds: true, roleMap: { 'authentik Admins': 'admin' } },
    passwords: { ada: djangoPasswords.ada },
  },
  { source: 'lldap', input: 'users.csv', expected: 'users', passwords: {} },
  {
    source: 'lldap',
    input: 'graphql.json',
    expected: 'graphql',
    options: { keepIds: true, roleMap: { lldap_admin: 'admin' } },
    passwords: {},
  },
  {
    source: 'pocketbase',
    input: 'users.json',
    expected: 'users-0.23',
    passwords: { 'ada@example.com': 'numbers of bernoulli', 'charles@example.com': 'ninth bridgewater treatise' },
  },
  {
    source: 'pocketbase',
    input: 'users.csv',
    expected: 'users-0.22',
    passwords: { ada: 'numbers of bernoulli', users38472: 'ninth bridgewater treatise' },
  },
  {
    source: 'keycloak',
    input: 'hand-written.json',
    expected: 'hand-written',
    options: { clearPasswords: 'hash' },
    passwords: { ada: 'note g, bernoulli numbers' },
  },
  { source: 'entra', input: 'graph.json', expected: 'graph', options: { keepIds: true }, passwords: {} },
  { source: 'entra', input: 'portal.csv', expected: 'portal', passwords: {} },
  {
    source: 'google-workspace',
    input: 'directory.json',
    expected: 'directory',
    options: { roleMap: { 'super-admin': 'admin' } },
    passwords: {},
  },
  { source: 'google-workspace', input: 'users.csv', expected: 'users', passwords: {} },
  { source: 'okta', input: 'users.json', expected: 'users', passwords: {} },
  {
    source: 'clerk',
    input: 'export.csv',
    expected: 'export',
    passwords: { ada: 'note g, bernoulli', 'grace@example.com': 'nanoseconds of wire' },
  },
  { source: 'clerk', input: 'api.json', expected: 'api', options: { roleMap: { admin: 'admin' } }, passwords: {} },
  {
    source: 'fusionauth',
    input: 'users.json',
    expected: 'users',
    options: { keepIds: true, roleMap: { admin: 'admin' } },
    passwords: { ada: 'analytical engine 1843', 'grace@example.com': 'flow-matic manual' },
    inactivePasswords: { 'charles@example.com': 'difference engine no. 2' },
  },
  {
    source: 'wordpress',
    input: 'wp-cli.json',
    expected: 'wp-cli',
    options: { roleMap: { administrator: 'admin' } },
    passwords: { ada: 'analytical engine 1843', 'grace@example.com': 'nanoseconds of wire' },
  },
  {
    source: 'wordpress',
    input: 'phpmyadmin.json',
    expected: 'phpmyadmin',
    passwords: { ada: 'analytical engine 1843', 'grace@example.com': 'nanoseconds of wire' },
  },
  {
    source: 'discourse',
    input: 'tables.csv',
    expected: 'tables',
    options: { roleMap: { admin: 'admin' } },
    passwords: { ada: 'analytical engine 1843', grace: 'nanoseconds of wire' },
    inactivePasswords: { charles: 'difference engine no. 2' },
  },
  { source: 'discourse', input: 'user-list.csv', expected: 'user-list', passwords: {} },
  { source: 'gitlab', input: 'api.json', expected: 'api', options: { roleMap: { admin: 'admin' } }, passwords: {} },
  {
    source: 'gitlab',
    input: 'users.csv',
    expected: 'users',
    passwords: { ada: 'analytical engine 1843' },
    inactivePasswords: { charles: 'difference engine no. 2' },
  },
  {
    source: 'zitadel',
    input: 'export.json',
    expected: 'export',
    passwords: { ada: 'correct horse battery staple' },
  },
  {
    source: 'logto',
    input: 'users.ndjson',
    expected: 'users',
    options: { roleMap: { support: 'admin' } },
    passwords: { ada: 'weaving algebraic patterns' },
  },
  {
    source: 'better-auth',
    input: 'users.ndjson',
    expected: 'users',
    options: { roleMap: { admin: 'admin' } },
    passwords: { Ada: 'looms and punched cards' },
  },
  {
    source: 'scim',
    input: 'users.json',
    expected: 'users',
    options: { keepIds: true, roleMap: { 'Engine Admins': 'admin' } },
    passwords: {},
  },
  {
    source: 'ldif',
    input: 'openldap.ldif',
    expected: 'openldap',
    options: { keepIds: true, clearPasswords: 'hash', roleMap: { operators: 'admin' } },
    passwords: { ada: 'analytical engine 1843', charles: 'difference engine no. 2' },
    inactivePasswords: { zoé: 'nanoseconds of wire' },
  },
  {
    source: 'ldif',
    input: 'active-directory.ldif',
    expected: 'active-directory',
    options: { roleMap: { 'Engines, Analytical': 'editor' } },
    passwords: {},
  },
  {
    source: 'csv',
    input: 'people.csv',
    expected: 'people',
    options: { mapping: 'mapping.json' },
    passwords: { ada: 'difference of squares' },
  },
  {
    source: 'json',
    input: 'people.json',
    expected: 'people',
    options: { mapping: 'mapping.json', roleMap: { ops: 'admin' } },
    passwords: { ada: 'difference of squares' },
  },
]

export function golden(source: SourceName, file: string): string {
  return join(import.meta.dirname, source, file)
}

/** As the command line reads them, on a day on which no ban of the files ends. */
export function goldenOptions({
  source,
  options: { passwords, hashConfig, mapping, ...others } = {},
}: GoldenFile): SourceOptions {
  return {
    now: new Date('2025-12-01T00:00:00.000Z'),
    ...others,
    ...(passwords && { passwords: createReadStream(golden(source, passwords)) }),
    ...(hashConfig && { hashConfig: readFileSync(golden(source, hashConfig), 'utf8') }),
    ...(mapping && { mapping: readFileSync(golden(source, mapping), 'utf8') }),
  }
}
