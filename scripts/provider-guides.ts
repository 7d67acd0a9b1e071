/** The steps at a provider inside the guides of docs/, from the same data as those of the console. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import type { Guide, Row, SignInGuide } from '../console/src/parts/provider-guides/guide.ts'

// Outside of the console's build, a text of its macro is the English one.
const macro = 'data:text/javascript,export const msg = (texts) => ({ message: texts.join("") })'
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@lingui/core/macro' ? { url: macro, shortCircuit: true } : next(specifier, context),
})

/** Returns all guides by the name that the markers of a page use: `oidc okta`, `provisioning okta`. */
export async function providerGuides(): Promise<ReadonlyMap<string, Guide>> {
  const { signInGuides } = await import('../console/src/parts/provider-guides/sign-in-guides.ts')
  const { provisioningGuides } = await import('../console/src/parts/provider-guides/provisioning-guides.ts')
  const provisioning = Object.entries(provisioningGuides).map(
    ([name, guide]) => [`provisioning ${name}`, guide] as const,
  )
  return new Map<string, Guide>([...Object.entries(signInGuides), ...provisioning])
}

export const guidePages = [
  'sign-in-adfs',
  'sign-in-auth0',
  'sign-in-company',
  'sign-in-entra',
  'sign-in-github',
  'sign-in-gitlab',
  'sign-in-google',
  'sign-in-keycloak',
  'sign-in-okta',
  'sign-in-saml',
  'provisioning',
  'provisioning-entra',
  'provisioning-google',
  'provisioning-keycloak',
  'provisioning-okta',
].map((name) => ({ path: `docs/${name}.md`, render: () => withSteps(`docs/${name}.md`) }))

const marked =
  /(<!-- The steps of "([a-z0-9 ]+)", made from code by `npm run generate`. -->\n\n)[\s\S]*?(\n\n<!-- End of the steps. -->)/g

async function withSteps(path: string): Promise<string> {
  const guides = await providerGuides()
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').replace(
    marked,
    (_, start: string, name: string, end: string) => {
      const guide = guides.get(name)
      if (guide === undefined) throw new Error(`${path} has the steps of "${name}", which do not exist.`)
      return `${start}${markdownOf(guide)}${end}`
    },
  )
}

function markdownOf({ product, console, steps }: Guide): string {
  const lead = product === undefined || console === undefined ? [] : [`Open [${product}](${console}).`, '']
  return [...lead, ...steps.flatMap(({ says, rows = [] }, n) => stepLines(n + 1, says.message ?? '', rows))]
    .join('\n')
    .trim()
}

function stepLines(number: number, text: string, rows: readonly Row[]): string[] {
  const table = [
    '',
    '   | Field | Value |',
    '   |---|---|',
    ...rows.map((row) => `   | ${row.field} | ${cellOf(row)} |`),
    '',
  ]
  return [...wrapped(`${number}. ${text}`), ...(rows.length === 0 ? [] : table)]
}

function cellOf(row: Row): string {
  const value =
    'copies' in row
      ? `\`${row.copies}\``
      : 'option' in row
        ? row.option
        : (row.words.message ?? '').replaceAll('|', '\\|')
  return row.note === undefined ? value : `${value}, ${row.note.message ?? ''}`
}

/** Lines of at most 140 characters, as in the rest of docs/. */
function wrapped(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(word)
    else if (last.length + 1 + word.length <= 140) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`   ${word}`)
  }
  return lines
}

/** The guides and the words about pasted values in each language, for the pages of setup links, which the server writes itself. */
export const setupGuidePages = (['en', 'de', 'ar'] as const).map((language) => ({
  path: `src/access/pages/setup-links/guides/${language}.json`,
  render: () => setupGuides(language),
}))

/** Values for what a setup link cannot switch on. */
const leftOut: readonly string[] = ['post_logout_redirect_uri', 'global_token_revocation_uri']
/** To the reader of these pages the product belongs to another company. */
const inOtherWords: Readonly<Record<string, string>> = {
  'Under **Users and groups**, assign who may use your product.': 'Under **Users and groups**, assign who may sign in.',
}

function stepsForCustomers(steps: Guide['steps']) {
  return steps.flatMap(({ says, rows = [] }) => {
    const useful = rows.filter((row) => !('copies' in row && leftOut.includes(row.copies)))
    const hadCopies = rows.some((row) => 'copies' in row)
    return hadCopies && !useful.some((row) => 'copies' in row) ? [] : [{ says, rows: useful }]
  })
}

/** Ways of signing in that a company sets up by itself; a directory and GitHub need an agreement with the operator. */
const isOfCompany = (name: string) => !name.startsWith('github ')

async function setupGuides(language: 'en' | 'de' | 'ar'): Promise<string> {
  const translated = wordsIn(language)
  const textOf = (text: string | { message?: string }) =>
    typeof text === 'string' ? text : translated(inOtherWords[text.message ?? ''] ?? text.message ?? '')
  const rowOf = ({ field, note, ...row }: Row) => ({
    field,
    ...('words' in row
      ? row.words.message === 'the name of your product'
        ? { copies: 'product' }
        : { words: textOf(row.words) }
      : row),
    ...(note !== undefined && { note: textOf(note) }),
  })
  const guides = [...(await providerGuides())].filter(([name]) => isOfCompany(name))
  const written = guides.map(
    ([name, { steps, pastes = {}, hides = [], ...guide }]: [string, Partial<SignInGuide> & Guide]) => [
      name,
      {
        ...(guide.product !== undefined && { product: guide.product }),
        ...(guide.console !== undefined && { console: guide.console }),
        steps: stepsForCustomers(steps).map(({ says, rows }) => ({ says: textOf(says), rows: rows.map(rowOf) })),
        pastes: Object.fromEntries(Object.entries(pastes).map(([field, text]) => [field, textOf(text)])),
        hides: hides.map((name) => ({ name })),
      },
    ],
  )
  const source = readFileSync(new URL('../console/src/pages/company-sign-in/paste-words.ts', import.meta.url), 'utf8')
  const pasteWords = [...source.matchAll(/^ {4}(\w+): t`([^`]+)`,$/gm)].map(([, fault = '', words = '']) => [
    fault,
    translated(words),
  ])
  const content = { guides: Object.fromEntries(written), pasteWords: Object.fromEntries(pasteWords) }
  return `${JSON.stringify(content, null, 2)}\n`
}

/** Translations of the console's texts. Missing ones are found by the check of texts. */
function wordsIn(language: string): (text: string) => string {
  const catalogue = readFileSync(new URL(`../console/src/locales/${language}.po`, import.meta.url), 'utf8')
  const joined = catalogue.replaceAll('"\n"', '')
  const entries = [...joined.matchAll(/^msgid (".*")\nmsgstr (".*")$/gm)].map(
    ([, id = '', text = '']) => [JSON.parse(id) as string, JSON.parse(text) as string] as const,
  )
  const words = new Map(entries)
  return (text) => words.get(text) || text
}
