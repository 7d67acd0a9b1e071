/** The entry point. Serves, unless the arguments name a command of src/cli. */

const args = process.argv.slice(2)
const only = args.length === 1 ? args[0] : undefined

// Separate imports, because every loaded module costs the server memory, and the commands need many.
if (args.length === 0 || only === 'serve') {
  const { serveUntilStopped } = await import('./cli/host/serve.ts')
  await serveUntilStopped()
} else if (only === '--help' || only === '-h' || only === 'help') {
  // `npm run generate` makes this text. Building it from the commands here would double the start-up time.
  const { helpText } = await import('./cli/program/help-text.ts')
  write(helpText)
} else if (only === '--version' || only === '-V') {
  const { version } = await import('./core/version.ts')
  write(`${version}\n`)
} else {
  const { run } = await import('./cli/program/program.ts')
  // Node 26 sometimes does not exit after connections were cut off; see test/end-at-exit.ts.
  process.once('beforeExit', () => process.on('exit', (code) => process.exit(code)))
  process.exitCode = await run(args)
}

function write(text: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader may leave early, as `head` does.
    if (error.code === 'EPIPE') return
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
  process.stdout.write(text)
}
