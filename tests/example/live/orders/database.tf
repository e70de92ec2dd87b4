data "aws_vpc" "main" {
  tags = {
    Name = "main"
  }
}

data "aws_subnets" "private" {
  filter {
    name   = "vpc-id"
    values = [data.aws_vpc.main.id]
  }

  tags = {
    Tier = "private"
  }
}

# Owned by live/web, whose servers connect to the database.
data "aws_security_group" "web" {
  name   = "web"
  vpc_id = data.aws_vpc.main.id
}

resource "aws_security_group" "database" {
  name        = "orders-database"
  description = "PostgreSQL from the web servers"
  vpc_id      = data.aws_vpc.main.id
}

resource "aws_vpc_security_group_ingress_rule" "postgres" {
  security_group_id            = aws_security_group.database.id
  description                  = "PostgreSQL"
  referenced_security_group_id = data.aws_security_group.web.id
  ip_protocol                  = "tcp"
  from_port                    = 5432
  to_port                      = 5432
}

resource "aws_db_subnet_group" "orders" {
  name       = "orders"
  subnet_ids = data.aws_subnets.private.ids
}

resource "aws_db_instance" "orders" {
  identifier     = "orders"
  engine         = "postgres"
  engine_version = "16.4"
  instance_class = "db.t4g.medium"

  allocated_storage = 50
  storage_type      = "gp3"
  storage_encrypted = true

  db_name  = "orders"
  username = "orders"
  password = var.database_password

  db_subnet_group_name   = aws_db_subnet_group.orders.name
  vpc_security_group_ids = [aws_security_group.database.id]

  backup_retention_period = 14
  deletion_protection     = true
  skip_final_snapshot     = false

  tags = {
    Name = "orders"
    Data = "personal"
  }
}
