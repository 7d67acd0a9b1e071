/** Reads a Dockerfile, as far as ours goes: https://docs.docker.com/reference/dockerfile/ */
export type Instruction = { keyword: string; argument: string }

const keywords = new Set(
  'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(
    ' ',
  ),
)

/** Continued lines are one instruction, and comments between them are left out. */
export function readDockerfile(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*#/.test(line))
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [, keyword = line, argument = ''] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(line) ?? []
      return { keyword, argument }
    })
}

/** Returns what Docker would refuse or warn about. */
export function dockerfileFaults(instructions: readonly Instruction[]): string[] {
  const beforeFrom = instructions.slice(
    0,
    instructions.findIndex(({ keyword }) => keyword === 'FROM'),
  )
  return [
    ...beforeFrom.filter(({ keyword }) => keyword !== 'ARG').map(({ keyword }) => `${keyword} before the first FROM`),
    ...instructions.flatMap(({ keyword, argument }) =>
      faultsOf(keyword, argument).map((fault) => `${keyword} ${fault}`),
    ),
    ...(instructions.some(({ keyword }) => keyword === 'FROM') ? [] : ['no FROM']),
  ]
}

function faultsOf(keyword: string, argument: string): string[] {
  if (!keywords.has(keyword)) return ['is no instruction']
  if (argument === '') return ['has no argument']
  if (keyword === 'EXPOSE') return /^\d{1,5}(\/(tcp|udp))?$/.test(argument) ? [] : [`${argument} is no port`]
  if (keyword === 'WORKDIR') return argument.startsWith('/') ? [] : [`${argument} is relative`]
  if (keyword === 'ENV' || keyword === 'LABEL') return /^\S+=/.test(argument) ? [] : [`${argument} has no =`]
  // The form of a list runs the program itself, so that it receives the signals.
  if (keyword === 'CMD' || keyword === 'ENTRYPOINT') return isListOfTexts(argument) ? [] : [`${argument} needs a shell`]
  return []
}

function isListOfTexts(argument: string): boolean {
  if (!argument.startsWith('[')) return false
  const list: unknown = JSON.parse(argument)
  return Array.isArray(list) && list.every((item) => typeof item === 'string')
}
