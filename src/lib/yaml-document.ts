/**
 * Reads a YAML 1.2 document as data, and says where each value stands. What would make the text a program is refused: tags, merge
 * keys, directives, variables, further documents. Anchors are accepted within limits.
 */
import type { Alias, Document, Node, Scalar, YAMLError, YAMLMap, YAMLSeq } from 'yaml'

/** Both count from 1. */
export type TextPlace = { line: number; column: number }
export type YamlFault = TextPlace & { pointer: string; code: string; detail: string }

export type YamlDocument = {
  value: unknown
  faults: YamlFault[]
  /** Returns the place of a value, or of the member's name, by its pointer (`#/groups/0/name`); undefined if it is not in the text. */
  placeOf(pointer: string, part?: 'value' | 'name'): TextPlace | undefined
}

/** With their expansion: a text of a few hundred bytes could otherwise become gigabytes (billion laughs). */
const mostNodes = 200_000
/** Before the text is parsed, which takes about 20 µs for each. */
const mostParts = 100_000
const mostAliases = 200
const mostDepth = 16
const mostFaults = 1000

/** Members whose texts may contain `${…}` or `{{…}}`: patterns and filters have their own syntax. */
const withBraces = new Set(['pattern', 'user_filter', 'group_filter'])
const variable = /\$\{[A-Za-z_][\w.]*\}|\{\{[^}]*\}\}/

export async function readYaml(text: string): Promise<YamlDocument> {
  const yaml = await import('yaml')
  const lines = new yaml.LineCounter()
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const faults: YamlFault[] = []
  const refuse = (pointer: string, offset: number, code: string, detail: string) => {
    if (faults.length < mostFaults) faults.push({ pointer, ...placeAt(offset), code, detail })
  }
  if ((text.match(/[\n,[{]/g)?.length ?? 0) > mostParts) {
    refuse('#', 0, 'too_many', `The text has more than ${mostParts} lines and entries.`)
    return { value: undefined, faults, placeOf: () => undefined }
  }
  let document: Document.Parsed
  try {
    document = yaml.parseDocument(text.replace(/^\uFEFF/, ''), {
      schema: 'core',
      merge: false,
      // Checked below: the library compares each key with each other one.
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter: lines,
      logLevel: 'error',
      stringKeys: false,
    })
  } catch (error) {
    // The parser is recursive.
    if (!(error instanceof RangeError)) throw error
    refuse('#', 0, 'too_deep', `The text is nested more than ${mostDepth} levels deep.`)
    return { value: undefined, faults, placeOf: () => undefined }
  }
  // Further errors follow from the first ones.
  const different = new Map(document.errors.map((error) => [error.code, error] as const).toReversed())
  const firstErrors = [...different.values()].sort((a, b) => a.pos[0] - b.pos[0]).slice(0, 3)
  for (const error of firstErrors) refuse('#', error.pos[0], 'malformed_yaml', syntaxDetail(error))
  const { explicit, version } = document.directives?.yaml ?? {}
  if (explicit || version === '1.1') refuse('#', 0, 'directive', 'Directives such as %YAML are not accepted.')

  const places = new Map<string, { value: number; name?: number }>()
  const anchors = new Map<string, Node>()
  const open = new Set<Node>()
  let [nodes, aliases] = [0, 0]

  function read(node: Node | null, pointer: string, member: string): unknown {
    if (++nodes > mostNodes) return undefined
    if (node === null) return null
    const offset = node.range?.[0] ?? 0
    const place = places.get(pointer)
    places.set(pointer, { ...place, value: offset })
    if (yaml.isAlias(node)) return readAlias(node, pointer, member)
    if (node.anchor !== undefined) anchors.set(node.anchor, node)
    if (node.tag !== undefined) {
      refuse(pointer, offset, 'tag', 'Tags such as !include and !!binary are not accepted.')
      return undefined
    }
    if (open.size >= mostDepth) {
      refuse(pointer, offset, 'too_deep', `The text is nested more than ${mostDepth} levels deep.`)
      return undefined
    }
    open.add(node)
    const value = yaml.isMap(node)
      ? readMap(node as YAMLMap, pointer)
      : yaml.isSeq(node)
        ? (node as YAMLSeq).items.map((item, index) => read(item as Node | null, `${pointer}/${index}`, member))
        : readScalar(node as Scalar, pointer, member)
    open.delete(node)
    return value
  }

  function readAlias(node: Alias, pointer: string, member: string): unknown {
    const offset = node.range?.[0] ?? 0
    if (++aliases > mostAliases) {
      if (aliases === mostAliases + 1) {
        refuse(pointer, offset, 'too_many_aliases', `The text refers to anchors more than ${mostAliases} times.`)
      }
      return undefined
    }
    const target = anchors.get(node.source)
    if (target === undefined || open.has(target)) {
      const detail = target === undefined ? 'This anchor is not defined above.' : 'This anchor refers to itself.'
      refuse(pointer, offset, 'anchor_unknown', detail)
      return undefined
    }
    const place = places.get(pointer)
    const value = read(target, pointer, member)
    if (place !== undefined) places.set(pointer, place)
    return value
  }

  function readMap(map: YAMLMap, pointer: string): Record<string, unknown> {
    const entries = new Map<string, unknown>()
    for (const { key, value } of map.items) {
      const offset = (key as Node | null)?.range?.[0] ?? map.range?.[0] ?? 0
      if (!yaml.isScalar(key)) {
        refuse(pointer, offset, 'name_invalid', 'The name of a member must be a text.')
        continue
      }
      const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
      const own = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (key.value === '<<' && key.type === 'PLAIN') {
        refuse(
          own,
          offset,
          'merge_key',
          'Merge keys (<<) are not accepted. Repeat the members, or use an anchor for a whole value.',
        )
        continue
      }
      if (key.tag !== undefined) refuse(own, offset, 'tag', 'Tags are not accepted.')
      if (name === '__proto__') {
        refuse(pointer, offset, 'unknown_member', 'There is no member "__proto__".')
        continue
      }
      if (entries.has(name)) {
        refuse(own, offset, 'named_twice', 'This member is there twice.')
        continue
      }
      places.set(own, { value: offset, name: offset })
      entries.set(name, read(value as Node | null, own, name))
    }
    return Object.fromEntries(entries)
  }

  function readScalar({ value, range }: Scalar, pointer: string, member: string): unknown {
    const offset = range?.[0] ?? 0
    if (typeof value === 'number' && !Number.isFinite(value)) {
      refuse(pointer, offset, 'wrong_type', 'This is not a number of JSON.')
      return undefined
    }
    if (typeof value !== 'string') return value
    if (value.includes('\0') || !value.isWellFormed()) {
      refuse(pointer, offset, 'control_character', 'This text contains a character that cannot be stored.')
    }
    if (!withBraces.has(member) && variable.test(value)) {
      const detail =
        'Variables and templates are not replaced. Write the value itself; secrets can be {env: NAME} or {file: PATH}.'
      refuse(pointer, offset, 'variable', detail)
    }
    return value
  }

  const value = faults.length > 0 ? undefined : read(document.contents, '#', '')
  if (nodes > mostNodes) refuse('#', 0, 'too_many', `The text has more than ${mostNodes} values, anchors included.`)
  return {
    value,
    faults,
    placeOf(pointer, part = 'value') {
      const found = places.get(pointer)
      return found && placeAt((part === 'name' ? found.name : undefined) ?? found.value)
    },
  }
}

type Fault = { pointer: string; code: string; line?: number; column?: number }

/** Where a fault is: of a name that should not be there, the name; of a missing member, the object. */
export function placeOfFault({ placeOf }: Pick<YamlDocument, 'placeOf'>, fault: Fault): TextPlace {
  const { pointer, code, line, column } = fault
  if (line !== undefined && column !== undefined) return { line, column }
  const part = code === 'unknown_member' ? 'name' : 'value'
  for (let path = pointer; path !== ''; path = path.slice(0, Math.max(path.lastIndexOf('/'), 0))) {
    const place = placeOf(path, part)
    if (place !== undefined) return place
  }
  return { line: 1, column: 1 }
}

/** The library's own messages may quote the text, which may hold a secret. */
function syntaxDetail({ code }: YAMLError): string {
  return syntaxDetails[code] ?? 'This is not valid YAML.'
}

const syntaxDetails: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'This alias is not valid YAML.',
  BAD_DIRECTIVE: 'Directives are not accepted.',
  BAD_DQ_ESCAPE: 'This is not an escape sequence of YAML. Use single quotes, or write the backslash twice.',
  BAD_INDENT: 'The indentation does not fit the lines above.',
  BAD_SCALAR_START: 'A plain text cannot begin with this character. Put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'A mapping cannot begin here. Put the text in quotes, or begin a new line.',
  MISSING_CHAR: 'A character is missing here, such as a closing quote or bracket, or a comma.',
  MULTILINE_IMPLICIT_KEY: 'The name of a member must be on one line, with a colon behind it.',
  MULTIPLE_DOCS: 'There must be one document only. Remove the line ---.',
  TAB_AS_INDENT: 'Indent with spaces, not with tabs.',
  UNEXPECTED_TOKEN: 'This character does not belong here.',
}

/** The text of a value, always the same for the same value. */
export async function writeYaml(value: unknown): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(value, { schema: 'core', lineWidth: 0, aliasDuplicateObjects: false, version: '1.2' })
}
