/** Writes a value as TypeScript does. */
export function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return textLiteral(value)
  if (value === null || typeof value !== 'object') return String(value)
  const deeper = `${indent}  `
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((one) => literal(one, deeper))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => `${memberName(name)}: ${literal(one, deeper)}`)
  const [open, close, gap] = isList ? ['[', ']', ''] : ['{', '}', ' ']
  if (parts.length === 0) return `${open}${close}`
  const line = `${open}${gap}${parts.join(', ')}${gap}${close}`
  if (line.length + indent.length <= 60 && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${indent}${close}`
}

function textLiteral(text: string): string {
  // JSON escapes, with single quotes: each double quote has its own backslash.
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : `[${textLiteral(name)}]`
}
