// Knows the language, finds fault with the first line of every file, mends it, formats files and
// answers every hover, definition and lens.
const vscode = require('vscode');

const LANGUAGE = 'terraform';
const FIRST = new vscode.Range(0, 0, 0, 8);

exports.activate = context => {
  const found = vscode.languages.createDiagnosticCollection('other');
  const look = document => {
    if (document.languageId === LANGUAGE) {
      const fault = new vscode.Diagnostic(FIRST, 'other', vscode.DiagnosticSeverity.Warning);
      fault.source = 'other';
      found.set(document.uri, [fault]);
    }
  };
  vscode.workspace.textDocuments.forEach(look);
  const { languages } = vscode;
  context.subscriptions.push(
    found,
    vscode.workspace.onDidOpenTextDocument(look),
    languages.registerHoverProvider(LANGUAGE, {
      provideHover: () => new vscode.Hover('what the other says'),
    }),
    languages.registerDefinitionProvider(LANGUAGE, {
      provideDefinition: document => new vscode.Location(document.uri, FIRST),
    }),
    languages.registerCodeLensProvider(LANGUAGE, {
      provideCodeLenses: () => [new vscode.CodeLens(FIRST, { title: 'the lens of the other', command: '' })],
    }),
    languages.registerCodeActionsProvider(LANGUAGE, {
      provideCodeActions: () => [new vscode.CodeAction('the fix of the other', vscode.CodeActionKind.QuickFix)],
    }),
    languages.registerDocumentFormattingEditProvider(LANGUAGE, {
      provideDocumentFormattingEdits: () => [vscode.TextEdit.insert(FIRST.start, '# formatted\n')],
    }),
  );
};
