/**
 * Refuses declarations whose name does not say what the thing does or is. `npm run check` runs it.
 *
 * Checked are variables, parameters, functions, methods, types and members of types. Not checked are members of object
 * literals and destructured members that keep their name: they follow a type, which is checked where it is declared.
 * `check-names-exceptions.json` lists the declarations that are not renamed yet, and names on the wire: for each file, by
 * its name without folders so that moving it changes nothing, the names and how many declarations have them. The list may
 * only shrink: the check fails when it allows more than there is; `--shrink` then lowers it.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

const vague =
  /^(?:take|leave|begin|settle|hold|keep|ask|tell|hear|shown|told|ended|given|made|kept|gone|brought|asked|answer)$/
/** A cheap look before a file is parsed: a vague name that is no member access and no word of a sentence. */
const mayDeclare = new RegExp(
  `(?<![.\\w'-])(?:${vague.source.slice(4, -2)})\\b['"]?\\s*(?:[=:,?)}\\](<;]|=>|of\\b|in\\b|$)`,
  'm',
)

type Exceptions = Record<string, Record<string, number>>
type Node = { type: string; [member: string]: unknown }

const root = join(import.meta.dirname, '..')
const list = join(import.meta.dirname, 'check-names-exceptions.json')

/** Returns the identifiers that a pattern binds. A member such as `ended` in `{ ended }` keeps its name. */
function namesBound(pattern: Node | null | undefined): string[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name as string]
    case 'AssignmentPattern':
      return namesBound(pattern.left as Node)
    case 'RestElement':
      return namesBound(pattern.argument as Node)
    case 'TSParameterProperty':
      return namesBound(pattern.parameter as Node)
    case 'ArrayPattern':
      return (pattern.elements as (Node | null)[]).flatMap(namesBound)
    case 'ObjectPattern':
      return (pattern.properties as Node[]).flatMap((member) =>
        member.type === 'Property' && member.shorthand ? [] : namesBound((member.value ?? member) as Node),
      )
    default:
      return []
  }
}

function namesDeclared(node: Node): string[] {
  switch (node.type) {
    case 'VariableDeclarator':
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
    case 'ClassDeclaration':
      return namesBound(node.id as Node)
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'TSDeclareFunction':
      return [node.id as Node, ...(node.params as Node[])].flatMap(namesBound)
    case 'ArrowFunctionExpression':
    case 'TSFunctionType':
      return (node.params as Node[]).flatMap(namesBound)
    case 'TSMethodSignature':
      return [node.key as Node, ...(node.params as Node[])].flatMap(namesBound)
    case 'TSPropertySignature':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return namesBound(node.key as Node)
    case 'CatchClause':
      return namesBound(node.param as Node)
    default:
      return []
  }
}

function vagueNamesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(vagueNamesIn)
  if (typeof value !== 'object' || value === null) return []
  const own = 'type' in value ? namesDeclared(value as Node).filter((name) => vague.test(name)) : []
  return [...own, ...Object.values(value).flatMap(vagueNamesIn)]
}

const found: Exceptions = {}
// types.ts is generated from the OpenAPI document.
const generated = join('src', 'sdk', 'client', 'types.ts')
for (const path of globSync('{src,console/src,test,scripts}/**/*.{ts,tsx}', { cwd: root })) {
  const text = readFileSync(join(root, path), 'utf8')
  if (path === generated || path.endsWith('.d.ts') || !mayDeclare.test(text)) continue
  const names = vagueNamesIn(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path).body)
  if (names.length === 0) continue
  const counts = found[basename(path)] ?? {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  found[basename(path)] = counts
}

const allowed = JSON.parse(readFileSync(list, 'utf8')) as Exceptions
if (process.argv[2] === '--shrink') {
  for (const [file, names] of Object.entries(allowed)) {
    for (const [name, limit] of Object.entries(names)) {
      const count = Math.min(limit, found[file]?.[name] ?? 0)
      if (count > 0) names[name] = count
      else delete names[name]
    }
    if (Object.keys(names).length === 0) delete allowed[file]
  }
  writeFileSync(list, `${JSON.stringify(allowed, undefined, 2)}\n`)
}
for (const file of new Set([...Object.keys(found), ...Object.keys(allowed)])) {
  for (const name of new Set([...Object.keys(found[file] ?? {}), ...Object.keys(allowed[file] ?? {})])) {
    const [count, limit] = [found[file]?.[name] ?? 0, allowed[file]?.[name] ?? 0]
    if (count === limit) continue
    process.exitCode = 1
    if (count > limit) console.error(`${file}: "${name}" says little. Name it by what it does or is.`)
    else
      console.error(
        `${file}: ${limit} of "${name}" are allowed, but there are ${count}. Run this script with --shrink.`,
      )
  }
}
