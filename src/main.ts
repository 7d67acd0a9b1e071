/** The executable: it serves, unless a command of src/cli/host is given. */

const args = process.argv.slice(2)
const only = args.length === 1 ? args[0] : undefined

// Each by an import of its own: a server pays in memory for every module that is loaded, and the commands need many.
if (args.length === 0 || only === 'serve') {
  const { serveUntilStopped } = await import('./cli/host/serve.ts')
  await serveUntilStopped()
} else if (only === '--help' || only === '-h' || only === 'help') {
  // The text is kept, made from the commands by `npm run generate`: to build it would take as long as Node itself.
  const { helpText } = await import('./cli/program/help-text.ts')
  write(helpText)
} else if (only === '--version' || only === '-V') {
  const { version } = await import('./core/version.ts')
  write(`${version}\n`)
} else {
  const { run } = await import('./cli/program/program.ts')
  // Node 26 sometimes never comes to its end by itself after connections were cut (see test/end-at-exit.ts).
  process.once('beforeExit', () => process.on('exit', (code) => process.exit(code)))
  process.exitCode = await run(args)
}

function write(text: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads may leave early, as `head` does.
    if (error.code === 'EPIPE') return
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
  process.stdout.write(text)
}
