/** Validates a definition beyond its JSON Schema: rules that involve several members. */
import { type InputFault, memberFault, validationFailed } from '../../core/errors.ts'
import { hasUnseen, unseenRefused } from '../../lib/unseen.ts'
import { compilePattern, estimateSize, largestProgram } from './pattern.ts'
import type { CreateAttribute, Settings, UpdateAttribute } from './schema.ts'

const withText: readonly Settings['type'][] = ['string', 'url', 'email', 'string[]']

/** The settings of a new definition, with what the caller left out. */
export function settingsOf({ name, ...settings }: CreateAttribute): Settings {
  return {
    label: name,
    options: null,
    required: false,
    unique: false,
    searchable: false,
    pattern: null,
    minimum: null,
    maximum: null,
    max_length: null,
    editable_by: 'admin',
    in_token: false,
    in_header: false,
    ...settings,
  }
}

/**
 * Checks the texts of a request before it is known what they change. Patterns are compiled here, not while the change keeps
 * others waiting.
 *
 * @throws AppError `validation_failed`
 */
export async function checkTexts({ label, options, pattern }: UpdateAttribute): Promise<void> {
  const isBad = hasUnseen
  const detail = unseenRefused
  const faults: InputFault[] = []
  if (label !== undefined && isBad(label)) faults.push(memberFault('label', 'control_character', detail))
  for (const [n, option] of (options ?? []).entries()) {
    if (isBad(option)) faults.push(memberFault('options', 'control_character', detail, n))
  }
  const wrong = pattern == null ? undefined : await patternFault(pattern)
  if (wrong !== undefined) faults.push(wrong)
  if (faults.length > 0) throw validationFailed(faults)
}

async function patternFault(pattern: string): Promise<InputFault | undefined> {
  if (estimateSize(pattern) > largestProgram) {
    const detail = 'This pattern takes too long to check. Use smaller counts in braces, or max_length for the length.'
    return memberFault('pattern', 'too_complex', detail)
  }
  try {
    await compilePattern(pattern)
    return undefined
  } catch (error) {
    if (!(error instanceof Error && error.name.startsWith('RE2JS'))) throw error
    const detail = 'This is no regular expression of RE2, which has no lookaround and no backreferences.'
    return memberFault('pattern', 'wrong_format', detail)
  }
}

/** @throws AppError `validation_failed` with every fault found */
export function checkSettings(settings: Settings): void {
  const { type, options, required, editable_by, pattern, minimum, maximum, max_length } = settings
  const faults: InputFault[] = []
  const fault = (member: keyof Settings, code: string, detail: string) => faults.push(memberFault(member, code, detail))
  if (type === 'enum' && options === null) fault('options', 'missing_member', 'An enum needs options.')
  if (type !== 'enum' && options !== null) fault('options', 'not_together', 'Only an enum has options.')
  if (pattern !== null && !withText.includes(type)) fault('pattern', 'not_together', `A ${type} has no pattern.`)
  if (max_length !== null && !withText.includes(type)) fault('max_length', 'not_together', `A ${type} has no length.`)
  for (const [member, bound] of Object.entries({ minimum, maximum }) as ['minimum' | 'maximum', number | null][]) {
    if (bound !== null && type !== 'number') fault(member, 'not_together', `Only a number has a ${member}.`)
  }
  if (minimum !== null && maximum !== null && minimum > maximum) {
    fault('minimum', 'out_of_range', 'The minimum is greater than the maximum.')
  }
  if (required && editable_by === 'nobody') {
    fault(
      'required',
      'not_together',
      'With `required`, POST /users would refuse every user, because it cannot set an attribute with `editable_by` `nobody`.',
    )
  }
  if (faults.length > 0) throw validationFailed(faults)
}
