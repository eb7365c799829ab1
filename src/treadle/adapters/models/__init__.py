"""Language models, one module or package a provider's wire."""
