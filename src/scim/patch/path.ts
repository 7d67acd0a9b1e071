/** The path of a PATCH operation (RFC 7644 §3.5.2): `title`, `name.givenName`, `emails[type eq "work"].value`, `urn:…:manager`. */

import type { Filter } from '../filter/ast.ts'
import { tokenize } from '../filter/lexer.ts'
import { readBrackets, readerOf, readSubAttribute } from '../filter/parser.ts'
import { ScimError } from '../protocol/errors.ts'
import { type AttributePath, readAttributePath } from '../schemas/attribute-path.ts'

interface PatchPath {
  readonly path: AttributePath
  /** Selects values of the list. */
  readonly filter?: Filter
  /** The sub-attribute after the brackets. */
  readonly sub?: string
}

/** @throws ScimError `invalidPath`, or `invalidFilter` for the part in brackets */
export function parsePatchPath(text: string): PatchPath {
  const bracket = text.indexOf('[')
  const path = readAttributePath((bracket < 0 ? text : text.slice(0, bracket)).trim())
  if (path === undefined) throw invalidPath()
  if (bracket < 0) return { path }
  if (path.sub !== undefined) throw invalidPath()
  const reader = readerOf(tokenize(text.slice(bracket)))
  const filter = readBrackets(reader)
  const sub = readSubAttribute(reader)
  if (reader.next().kind !== 'end') throw invalidPath()
  return { path, filter, ...(sub !== undefined && { sub }) }
}

function invalidPath(): ScimError {
  return new ScimError(
    'invalidPath',
    'The path is not valid. Write it as title, name.givenName, emails[type eq "work"].value or urn:…:User:department.',
  )
}
