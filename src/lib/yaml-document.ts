/**
 * Reads a YAML 1.2 document as data, and says where each value stands. What would make the text a program is refused: tags, merge
 * keys, directives, variables, further documents. Anchors are accepted within limits.
 */
import type { Alias, Document, LineCounter, Node, Scalar, YAMLError, YAMLMap, YAMLSeq } from 'yaml'

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
  const reader = new Reader(yaml)
  const document = reader.parse(text)
  const value = document && reader.readAll(document)
  return { value, faults: reader.faults, placeOf: (pointer, part) => reader.placeOf(pointer, part) }
}

type Yaml = typeof import('yaml')

class Reader {
  readonly faults: YamlFault[] = []
  readonly #yaml: Yaml
  readonly #lines: LineCounter
  readonly #places = new Map<string, { value: number; name?: number }>()
  readonly #anchors = new Map<string, Node>()
  /** The nodes around the one that is read. */
  readonly #open = new Set<Node>()
  #nodes = 0
  #aliases = 0

  constructor(yaml: Yaml) {
    this.#yaml = yaml
    this.#lines = new yaml.LineCounter()
  }

  /** Returns undefined if the text is too large to look at. */
  parse(text: string): Document.Parsed | undefined {
    if ((text.match(/[\n,[{]/g)?.length ?? 0) > mostParts) {
      this.#refuse('#', 0, 'too_many', `The text has more than ${mostParts} lines and entries.`)
      return undefined
    }
    try {
      return this.#yaml.parseDocument(text.replace(/^\uFEFF/, ''), {
        schema: 'core',
        merge: false,
        // Checked below: the library compares each key with each other one.
        uniqueKeys: false,
        prettyErrors: false,
        lineCounter: this.#lines,
        logLevel: 'error',
        stringKeys: false,
      })
    } catch (error) {
      // The parser is recursive.
      if (!(error instanceof RangeError)) throw error
      this.#refuse('#', 0, 'too_deep', `The text is nested more than ${mostDepth} levels deep.`)
      return undefined
    }
  }

  readAll(document: Document.Parsed): unknown {
    // Further errors follow from the first ones.
    const different = new Map(document.errors.map((error) => [error.code, error] as const).toReversed())
    const firstErrors = [...different.values()].sort((a, b) => a.pos[0] - b.pos[0]).slice(0, 3)
    for (const error of firstErrors) this.#refuse('#', error.pos[0], 'malformed_yaml', syntaxDetail(error))
    const { explicit, version } = document.directives?.yaml ?? {}
    if (explicit || version === '1.1') {
      this.#refuse('#', 0, 'directive', 'Directives such as %YAML are not accepted.')
    }
    if (this.faults.length > 0) return undefined
    const value = this.#read(document.contents, '#', '')
    if (this.#nodes > mostNodes) {
      this.#refuse('#', 0, 'too_many', `The text has more than ${mostNodes} values, anchors included.`)
    }
    return value
  }

  placeOf(pointer: string, part: 'value' | 'name' = 'value'): TextPlace | undefined {
    const found = this.#places.get(pointer)
    return found && this.#placeAt((part === 'name' ? found.name : undefined) ?? found.value)
  }

  #placeAt(offset: number): TextPlace {
    const { line, col } = this.#lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  #refuse(pointer: string, offset: number, code: string, detail: string): void {
    if (this.faults.length < mostFaults) this.faults.push({ pointer, ...this.#placeAt(offset), code, detail })
  }

  #read(node: Node | null, pointer: string, member: string): unknown {
    if (++this.#nodes > mostNodes) return undefined
    if (node === null) return null
    const offset = node.range?.[0] ?? 0
    const place = this.#places.get(pointer)
    this.#places.set(pointer, { ...place, value: offset })
    if (this.#yaml.isAlias(node)) return this.#readAlias(node, pointer, member)
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    if (node.tag !== undefined) {
      this.#refuse(pointer, offset, 'tag', 'Tags such as !include and !!binary are not accepted.')
      return undefined
    }
    if (this.#open.size >= mostDepth) {
      this.#refuse(pointer, offset, 'too_deep', `The text is nested more than ${mostDepth} levels deep.`)
      return undefined
    }
    this.#open.add(node)
    const value = this.#yaml.isMap(node)
      ? this.#readMap(node as YAMLMap, pointer)
      : this.#yaml.isSeq(node)
        ? (node as YAMLSeq).items.map((item, index) => this.#read(item as Node | null, `${pointer}/${index}`, member))
        : this.#readScalar(node as Scalar, pointer, member)
    this.#open.delete(node)
    return value
  }

  #readAlias(node: Alias, pointer: string, member: string): unknown {
    const offset = node.range?.[0] ?? 0
    if (++this.#aliases > mostAliases) {
      if (this.#aliases === mostAliases + 1) {
        this.#refuse(pointer, offset, 'too_many_aliases', `The text refers to anchors more than ${mostAliases} times.`)
      }
      return undefined
    }
    const target = this.#anchors.get(node.source)
    if (target === undefined || this.#open.has(target)) {
      const detail = target === undefined ? 'This anchor is not defined above.' : 'This anchor refers to itself.'
      this.#refuse(pointer, offset, 'anchor_unknown', detail)
      return undefined
    }
    const place = this.#places.get(pointer)
    const value = this.#read(target, pointer, member)
    if (place !== undefined) this.#places.set(pointer, place)
    return value
  }

  #readMap(map: YAMLMap, pointer: string): Record<string, unknown> {
    const entries = new Map<string, unknown>()
    for (const { key, value } of map.items) {
      const offset = (key as Node | null)?.range?.[0] ?? map.range?.[0] ?? 0
      if (!this.#yaml.isScalar(key)) {
        this.#refuse(pointer, offset, 'name_invalid', 'The name of a member must be a text.')
        continue
      }
      const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
      const own = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (key.value === '<<' && key.type === 'PLAIN') {
        this.#refuse(own, offset, 'merge_key', mergeDetail)
        continue
      }
      if (key.tag !== undefined) this.#refuse(own, offset, 'tag', 'Tags are not accepted.')
      if (name === '__proto__') {
        this.#refuse(pointer, offset, 'unknown_member', 'There is no member "__proto__".')
        continue
      }
      if (entries.has(name)) {
        this.#refuse(own, offset, 'named_twice', 'This member is there twice.')
        continue
      }
      this.#places.set(own, { value: offset, name: offset })
      entries.set(name, this.#read(value as Node | null, own, name))
    }
    return Object.fromEntries(entries)
  }

  #readScalar({ value, range }: Scalar, pointer: string, member: string): unknown {
    const offset = range?.[0] ?? 0
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#refuse(pointer, offset, 'wrong_type', 'This is not a number of JSON.')
      return undefined
    }
    if (typeof value !== 'string') return value
    if (value.includes('\0') || !value.isWellFormed()) {
      this.#refuse(pointer, offset, 'control_character', 'This text contains a character that cannot be stored.')
    }
    if (!withBraces.has(member) && variable.test(value)) {
      this.#refuse(pointer, offset, 'variable', variableDetail)
    }
    return value
  }
}

const mergeDetail = 'Merge keys (<<) are not accepted. Repeat the members, or use an anchor for a whole value.'
const variableDetail =
  'Variables and templates are not replaced. Write the value itself; secrets can be {env: NAME} or {file: PATH}.'

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
