create role badge login;
create database badge owner badge encoding 'UTF8' template template0;
